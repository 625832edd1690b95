//@ why: Store buffering with each store under a mutex: the unlock before the load is a full fence.
//@      The two threads have different mutexes, so nothing else orders them.
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DTOO_LATE --preemptions none
//@ why: Locking only after the load orders nothing in between.
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
#include <pthread.h>
#include <stdint.h>

volatile int x, y;
pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER;

static void *left(void *unused) {
    (void)unused;
    pthread_mutex_lock(&left_lock);
    x = 1; // @store-x
#ifndef TOO_LATE
    pthread_mutex_unlock(&left_lock);
#endif
    intptr_t seen = y; // @load-y
#ifdef TOO_LATE
    pthread_mutex_unlock(&left_lock);
#endif
    return (void *)seen;
}

static void *right(void *unused) {
    (void)unused;
    pthread_mutex_lock(&right_lock);
    y = 1; // @store-y
#ifndef TOO_LATE
    pthread_mutex_unlock(&right_lock);
#endif
    intptr_t seen = x; // @load-x
#ifdef TOO_LATE
    pthread_mutex_unlock(&right_lock);
#endif
    return (void *)seen;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
