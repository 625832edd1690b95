//@ why: POSIX: who locks a robust mutex whose owner has ended gets it with EOWNERDEAD, and
//@      makes it consistent, or else its unlock makes it useless for ever. A mutex that is
//@      not robust stays locked. Unlocking a robust mutex that is not held is an error that
//@      is returned.
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DLEFT_BROKEN --preemptions none
//@ verdict: clean
//@ run: -DSTALLED --preemptions none
//@ verdict: violations
//@ deadlock: held lock
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;

static void *dies(void *unused) {
    assert(pthread_mutex_lock(&mutex) == 0); // @held
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifndef STALLED
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
#endif
    pthread_mutex_init(&mutex, &attributes);
    pthread_t thread;
    pthread_create(&thread, NULL, dies, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD); // @lock
#ifdef LEFT_BROKEN
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    assert(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
#else
    assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_consistent(&mutex) == EINVAL);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
#endif
    assert(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
