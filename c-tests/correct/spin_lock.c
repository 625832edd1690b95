//@ why: An exchange takes the lock, a store gives it back. Under PSO the store may be seen before
//@      what the critical section wrote, if it does not release.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_RELEASE
//@ why: Under SC the counter is 3 in the end. Where the lock is free before the count is there,
//@      the next one counts from the old value, and one is lost: nothing fails, the end is new.
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

#ifdef NO_RELEASE
#define UNLOCK ST
#else
#define UNLOCK RELEASE
#endif
static atomic_int locked;
static int counter;

static void run(int me) {
    for (int round = 0; round < 2 - me; round++) {
        while (atomic_exchange_explicit(&locked, 1, memory_order_acquire))
            ;
        counter++;
        UNLOCK(locked, 0);
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
