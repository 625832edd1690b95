//@ why: A wait with a limit can run out whatever the limit says. SEMAPHORE: the post comes
//@      before the wait, which takes it, or after, and then the wait has run out: 2
//@      executions. MUTEX: the other thread's section is over before the lock, or has not
//@      begun (twice the lock succeeds), or it is going on, and the lock runs out: 3. READ
//@      and WRITE are the same with a lock that the other thread holds for writing. GIVE_UP:
//@      a time that is over says nothing about the flag, which may be set between the end of
//@      the sleep and the return. Loops around such waits end (LOOP), and a loop whose flag
//@      nobody sets goes round for ever (FOR_EVER). Of two waits in a loop each may be the
//@      one that goes on, so neither is waited for patiently (TWO_SEMAPHORES).
//@ run: -DSEMAPHORE --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DMUTEX --preemptions none
//@ verdict: clean
//@ executions: 3
//@ run: -DREAD --preemptions none
//@ verdict: clean
//@ executions: 3
//@ run: -DWRITE --preemptions none
//@ verdict: clean
//@ executions: 3
//@ run: -DGIVE_UP --preemptions none
//@ verdict: violations
//@ assertion: given-up
//@ run: -DLOOP --preemptions none
//@ verdict: clean
//@ run: -DLOOP -DFOR_EVER --preemptions none
//@ verdict: violations
//@ livelock: loop
//@ run: -DSEMAPHORE_LOOP --preemptions none
//@ verdict: clean
//@ run: -DTWO_SEMAPHORES --preemptions 1 --max-events 50
//@ verdict: incomplete
//@ stopped-by: events
//@ busiest-loop: two
//@ run: -DJOIN --preemptions none
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
sem_t semaphore;
int ready;

static void *other(void *unused) {
#if defined SEMAPHORE || defined SEMAPHORE_LOOP || defined TWO_SEMAPHORES
    sem_post(&semaphore);
#elif defined MUTEX
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#elif defined READ || defined WRITE
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
#elif !defined FOR_EVER
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    const struct timespec soon = {1, 0};
    sem_init(&semaphore, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
#ifdef SEMAPHORE
    if (sem_timedwait(&semaphore, &soon) != 0)
        assert(errno == ETIMEDOUT);
#elif defined SEMAPHORE_LOOP
    while (sem_timedwait(&semaphore, &soon) != 0)
        assert(errno == ETIMEDOUT);
#elif defined TWO_SEMAPHORES
    sem_t never;
    sem_init(&never, 0, 0);
    while (sem_timedwait(&never, &soon) != 0 && sem_timedwait(&semaphore, &soon) != 0) // @two
        ;
#elif defined MUTEX
    int error = pthread_mutex_timedlock(&mutex, &soon);
    assert(error == 0 || error == ETIMEDOUT);
#elif defined READ
    int error = pthread_rwlock_timedrdlock(&lock, &soon);
    assert(error == 0 || error == ETIMEDOUT);
#elif defined WRITE
    int error = pthread_rwlock_timedwrlock(&lock, &soon);
    assert(error == 0 || error == ETIMEDOUT);
#elif defined JOIN
    while (pthread_timedjoin_np(thread, NULL, &soon) != 0)
        ;
    return 0;
#else
    pthread_mutex_lock(&mutex);
    int error = 0;
#ifdef GIVE_UP
    while (!ready && error == 0)
        error = pthread_cond_timedwait(&condition, &mutex, &soon);
    if (error == ETIMEDOUT)
        assert(!ready); // @given-up
#else
    while (!ready) // @loop
        pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &soon);
#endif
    pthread_mutex_unlock(&mutex);
#endif
#if !defined MUTEX && !defined READ && !defined WRITE
    pthread_join(thread, NULL);
#endif
    return 0;
}
