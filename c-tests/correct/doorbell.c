//@ why: Jobs are announced by a flag that their reader clears by an exchange before it looks for
//@      them: none is overlooked, since the exchange is a full fence, and none is seen before it
//@      is there.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_EXCHANGE
//@ why: That the reader overlooks the job is no error while the bell rings still. Under SC the bell
//@      is cleared after it was rung only if the job is there by then, and seen. Where the store
//@      that clears it waits, the job is looked for before, and the ringing is lost after: the
//@      bell is 0, and the job overlooked.
//@ verdict: violations
//@ models: tso shows, pso shows
//@ run: -DNO_RING
//@ why: Under PSO the bell may ring before the job is there: the same end. TSO keeps the order.
//@ verdict: violations
//@ models: pso shows
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_EXCHANGE
#define CLEAR() (LD(bell) ? (ST(bell, 0), 1) : 0)
#else
#define CLEAR() (LD(bell) ? atomic_exchange_explicit(&bell, 0, memory_order_seq_cst) : 0)
#endif
#ifdef NO_RING
#define RING ST
#else
#define RING RELEASE
#endif
static atomic_int bell = 1, job;
static int overlooked;

static void *first(void *unused) {
    ST(job, 1);
    RING(bell, 1);
    return unused;
}

static void *second(void *unused) {
    int seen = 0;
    if (CLEAR())
        seen = LD(job);
    overlooked = !seen && !LD(bell);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
