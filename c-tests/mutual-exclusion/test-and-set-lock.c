//@ why: A test-and-set lock. TSO keeps the write of the critical section before the store that
//@      frees the lock. PSO may delay the write past a plain store; a release store forbids it.
//@ run: --preemptions 3
//@ verdict: violations
//@ pso: write -> read
//@ run: -DFENCED --preemptions 3
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define UNLOCK memory_order_release
#else
#define UNLOCK memory_order_relaxed
#endif

atomic_int held;
int entered;

static void lock(void) {
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
        ;
}

static void unlock(void) { atomic_store_explicit(&held, 0, UNLOCK); }

static void *body(void *unused) {
    lock();
    int before = entered; // @read
    entered = before + 1; // @write
    unlock();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(entered == 2);
    return 0;
}
