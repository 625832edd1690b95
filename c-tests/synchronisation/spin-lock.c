//@ why: A spin lock excludes as a mutex does: two sections in 2 orders, with 2 accesses each
//@      inside that nobody comes between. One that spins on a lock of its own spins for
//@      ever.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DTWICE --preemptions none
//@ verdict: violations
//@ deadlock: once twice
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_spinlock_t lock;
int counter;

static void *body(void *unused) {
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#ifdef TWICE
    pthread_spin_lock(&lock); // @once
    assert(pthread_spin_trylock(&lock) == EBUSY);
    pthread_spin_lock(&lock); // @twice
#endif
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    body(NULL);
    pthread_join(thread, NULL);
    assert(counter == 2);
    pthread_spin_destroy(&lock);
    return 0;
}
