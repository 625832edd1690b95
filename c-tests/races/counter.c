//@ why: Two threads count without a lock: the loads race with the stores, and the stores with
//@      each other, in every execution. Under a mutex nothing races. A try that fails
//@      synchronises with nothing, so a thread that counts all the same races with the one that
//@      holds the mutex; it may also come after that one has counted, and then it does not
//@      matter which access it is. The creation orders what main did before, the joins what it
//@      does after.
//@ run: --monitor race -DLOCK=none --preemptions 0
//@ verdict: violations
//@ race: load store, store
//@ run: --monitor race -DLOCK=lock --preemptions none
//@ verdict: clean
//@ run: --monitor race -DLOCK=try --preemptions none
//@ verdict: violations
//@ race: load store, store
#include <pthread.h>

int counter;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int none(void) { return 1; }
static int lock(void) { return pthread_mutex_lock(&mutex); }
static int try(void) { return pthread_mutex_trylock(&mutex); }

static void *count(void *unused) {
    (void)none, (void)lock, (void)try;
    int got = LOCK() == 0;
    int old = counter; // @load
    counter = old + 1; // @store
    if (got)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    counter = 0;
    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, count, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return counter > 2;
}
