//@ why: The lock of Craig, Landin and Hagersten: each waits for the node of the one before it. A
//@      node that is free again must not be seen before what the critical section wrote.
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
#define UNLOCK ST
#else
#define UNLOCK RELEASE
#endif
static atomic_int taken[3];
static atomic_int last = 2;
static int counter;

static void run(int me) {
    ST(taken[me], 1);
    int before = atomic_exchange_explicit(&last, me, memory_order_acq_rel);
    while (ACQUIRE(taken[before]))
        ;
    int seen = counter;
    counter = seen + 1;
    assert(seen == (before != 2)); // @fails
    UNLOCK(taken[me], 0);
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
