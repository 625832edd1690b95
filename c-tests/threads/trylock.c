//@ why: A trylock takes a free mutex and fails with EBUSY on a held one, without waiting: both
//@      happen, as the failures of the assertions that deny them show.
//@ run: --preemptions none
//@ verdict: violations
//@ assertion: not-free, not-held
//@ run: -DEITHER --preemptions none
//@ verdict: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void *body(void *unused) {
    int result = pthread_mutex_trylock(&lock);
#ifdef EITHER
    assert(result == 0 || result == EBUSY);
    if (result == 0) {
        counter++;
        pthread_mutex_unlock(&lock);
    }
#else
    assert(result != 0);     // @not-free
    assert(result != EBUSY); // @not-held
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(counter == 1 || counter == 2);
    return 0;
}
