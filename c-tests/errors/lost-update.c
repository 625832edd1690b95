//@ why: Two threads increment a counter. With a load and a store of it, both can load before either
//@      stores, for which one preemption between load and store is needed, and enough. One atomic
//@      operation, or a mutex, cannot be divided. One variable alone is never an SC violation.
//@ run: --preemptions 0
//@ verdict: clean
//@ run: --preemptions 1
//@ verdict: violations
//@ assertion: check
//@ run: -DATOMIC --preemptions none
//@ verdict: clean
//@ run: -DMUTEX --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

volatile int plain;
atomic_int counter;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *unused) {
#if defined ATOMIC
    atomic_fetch_add(&counter, 1);
#elif defined MUTEX
    pthread_mutex_lock(&lock);
    plain++;
    pthread_mutex_unlock(&lock);
#else
    plain++;
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(plain + counter == 2); // @check
    return 0;
}
