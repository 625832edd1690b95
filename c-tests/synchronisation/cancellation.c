//@ why: A thread that is cancelled in a wait has the mutex again as its handlers run:
//@      without one it keeps it for ever. TEST, SLEEP: the thread looks in one event whether
//@      it is cancelled; main cancels it, and looks for itself as it joins: 3 orders. In the
//@      first it is not cancelled. DISABLED: a thread that does not heed it runs to its end.
//@      ASYNCHRONOUS is refused. To dpor the request comes before the look or after it, and
//@      a thread that is cancelled and waits is refused, also (WAITED) if its wait is over.
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DNO_HANDLER --preemptions none
//@ verdict: violations
//@ deadlock: held lock, woken lock
//@ run: -DTEST --preemptions none
//@ verdict: clean
//@ executions: 3
//@ run: -DTEST -DALWAYS --preemptions none
//@ verdict: violations
//@ executions: 3
//@ assertion: always
//@ run: -DTEST -DNEVER --preemptions none
//@ verdict: violations
//@ executions: 3
//@ assertion: never
//@ run: -DDISABLED --preemptions none
//@ verdict: clean
//@ run: -DSLEEP --preemptions none
//@ verdict: clean
//@ executions: 3
//@ run: -DTEST --explorer dpor
//@ verdict: clean
//@ executions: 2
//@ run: -DTEST -DALWAYS --explorer dpor
//@ verdict: violations
//@ executions: 2
//@ assertion: always
//@ run: -DTEST -DNEVER --explorer dpor
//@ verdict: violations
//@ executions: 2
//@ assertion: never
//@ run: -DSLEEP --explorer dpor
//@ verdict: clean
//@ executions: 2
//@ run: -DDISABLED --explorer dpor
//@ verdict: clean
//@ executions: 2
//@ run: --explorer dpor
//@ verdict: unsupported
//@ unsupported: woken a wait of a thread that is cancelled, under --explorer dpor
//@ run: -DWAITED --explorer dpor
//@ verdict: unsupported
//@ unsupported: late pthread_cancel of a thread that waits at a cancellation point
//@ run: -DWAITED --preemptions none
//@ verdict: clean
//@ run: -DASYNCHRONOUS
//@ verdict: unsupported
//@ unsupported: asynchronous asynchronous
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
sem_t semaphore;
atomic_int ready;

static void unlock(void *held) { pthread_mutex_unlock(held); }

static void *body(void *unused) {
#if defined TEST
    pthread_testcancel();
#elif defined SLEEP
    sleep(1);
#elif defined WAITED
    sem_wait(&semaphore);
    ready = 1;
    pthread_testcancel();
#elif defined DISABLED
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_testcancel();
#elif defined ASYNCHRONOUS
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL); // @asynchronous
#else
    pthread_mutex_lock(&mutex); // @held
#ifndef NO_HANDLER
    pthread_cleanup_push(unlock, &mutex);
#endif
    for (;;)
        pthread_cond_wait(&condition, &mutex); // @woken
#ifndef NO_HANDLER
    pthread_cleanup_pop(1);
#endif
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    sem_init(&semaphore, 0, 1);
    pthread_create(&thread, NULL, body, NULL);
#ifdef WAITED
    while (!ready)
        ;
#endif
    pthread_cancel(thread); // @late
    pthread_join(thread, &result);
#if defined TEST || defined SLEEP || defined WAITED
    assert(result == NULL || result == PTHREAD_CANCELED);
#ifdef ALWAYS
    assert(result == PTHREAD_CANCELED); // @always
#elif defined NEVER
    assert(result == NULL); // @never
#endif
#elif defined DISABLED
    assert(result == NULL);
#else
    assert(result == PTHREAD_CANCELED);
    pthread_mutex_lock(&mutex); // @lock
    pthread_mutex_unlock(&mutex);
#endif
    return 0;
}
