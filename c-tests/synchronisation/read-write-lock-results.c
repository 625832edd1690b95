//@ why: POSIX: a writer that locks again is told of the deadlock, and a reader may read
//@      twice. Whoever reads and then wants to write waits for itself.
//@ verdict: clean
//@ run: --preemptions none
//@ executions: 1
//@ run: -DUPGRADE --preemptions none
//@ verdict: violations
//@ executions: 1
//@ deadlock: read upgrade
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void) {
    pthread_rwlock_t lock;
    assert(pthread_rwlock_init(&lock, NULL) == 0);
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0); // @read
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_unlock(&lock) == 0);
#ifdef UPGRADE
    pthread_rwlock_wrlock(&lock); // @upgrade
#endif
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_destroy(&lock) == 0);
    return 0;
}
