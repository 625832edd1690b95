//@ why: Two threads use an object and let go of it; the last one wipes it. What the other one did
//@      with it must be seen by then: under PSO the decrement has to release.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_RELEASE
//@ verdict: violations
//@ models: pso breaks
//@ assertion: fails
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_RELEASE
#define LET_GO memory_order_acquire
#else
#define LET_GO memory_order_acq_rel
#endif
static atomic_int references = 2;
static int used[2];

static void run(int me) {
    used[me] = 1;
    if (atomic_fetch_sub_explicit(&references, 1, LET_GO) == 1) {
        assert(used[!me]); // @fails
        used[0] = used[1] = 0;
    }
}

static void *first(void *unused) {
    run(0);
    return unused;
}

static void *second(void *unused) {
    run(1);
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
