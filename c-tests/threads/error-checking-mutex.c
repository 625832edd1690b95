//@ why: POSIX: locking an error-checking mutex again gives EDEADLK, unlocking one that the thread
//@      does not hold gives EPERM, and neither changes anything.
//@ run: --preemptions none
//@ verdict: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t lock;
int counter;

static void *body(void *unused) {
    assert(pthread_mutex_unlock(&lock) == EPERM);
    assert(pthread_mutex_lock(&lock) == 0);
    counter++;
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    counter++;
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);

    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    assert(counter == 3);
    return 0;
}
