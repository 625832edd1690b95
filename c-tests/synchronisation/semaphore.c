//@ why: A semaphore of 1 is a mutex: two sections in 2 orders. A post can be taken only
//@      after it was made: 1 order; and a try that does not wait is before it or after: 2.
//@      Two posts of one thread among two waits of the other: the waits are behind the first
//@      and the second: of the 6 orders, 2 remain. Nobody posts: the wake-up is lost.
//@ run: -DSECTIONS --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DPOSTS=1 -DWAITS=1 --preemptions none
//@ verdict: clean
//@ executions: 1
//@ run: -DPOSTS=2 -DWAITS=2 --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DPOSTS=1 -DTRIES --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DPOSTS=1 -DWAITS=2 --preemptions none
//@ verdict: violations
//@ executions: 1
//@ lost-wakeup: wait
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>

sem_t semaphore;

static void *other(void *unused) {
#ifdef SECTIONS
    sem_wait(&semaphore);
    sem_post(&semaphore);
#else
    for (int i = 0; i < POSTS; i++)
        sem_post(&semaphore);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef SECTIONS
    sem_init(&semaphore, 0, 1);
#else
    assert(sem_init(&semaphore, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
    sem_init(&semaphore, 0, 0);
#endif
    pthread_create(&thread, NULL, other, NULL);
#ifdef SECTIONS
    sem_wait(&semaphore);
    sem_post(&semaphore);
#elif defined TRIES
    if (sem_trywait(&semaphore) != 0)
        assert(errno == EAGAIN);
#else
    for (int i = 0; i < WAITS; i++)
        sem_wait(&semaphore); // @wait
#endif
    pthread_join(thread, NULL);
#if defined SECTIONS
    int value;
    sem_getvalue(&semaphore, &value);
    assert(value == 1);
#endif
    sem_destroy(&semaphore);
    return 0;
}
