//@ why: A writer fills one of three buffers and exchanges it for the middle one, from where a
//@      reader takes it by an exchange. The buffer must be filled before it is handed over: under
//@      PSO the exchange has to release.
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
#define HAND_OVER memory_order_acquire
#else
#define HAND_OVER memory_order_acq_rel
#endif
enum { FRESH = 4 };
static int one[3], other[3];
static atomic_int middle = 1;

static void *first(void *unused) {
    int mine = 0;
    for (int value = 1; value <= 2; value++) {
        one[mine] = value;
        other[mine] = value;
        mine = atomic_exchange_explicit(&middle, mine | FRESH, HAND_OVER) & ~FRESH;
    }
    return unused;
}

static void *second(void *unused) {
    int mine = 2;
    if (LD(middle) & FRESH) {
        mine = atomic_exchange_explicit(&middle, mine, memory_order_acq_rel) & ~FRESH;
        assert(one[mine] == other[mine] && one[mine] > 0); // @fails
    }
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
