//@ why: The waiter's events are lock, fall asleep, wake up, unlock; the other thread's lock,
//@      signal, unlock. Under one mutex the signaller's section comes before the waiter's
//@      lock, and then nobody will wake the waiter, or while it sleeps: 2 executions.
//@      Without the mutex the signal comes before the lock, between lock and sleep (both
//@      lost), or after: 3. A flag that is set under the mutex, and looked at before and
//@      after each sleep, loses nothing.
//@ run: --preemptions none
//@ verdict: violations
//@ executions: 2
//@ lost-wakeup: wait
//@ run: -DUNLOCKED_SIGNAL --preemptions none
//@ verdict: violations
//@ executions: 3
//@ lost-wakeup: wait
//@ run: -DFLAG --preemptions none
//@ verdict: clean
//@ run: -DFLAG -DUNLOCKED_SIGNAL --preemptions none
//@ verdict: clean
//@ run: -DFLAG -DBROADCAST --preemptions none
//@ verdict: clean
//@ run: -DFLAG --preemptions none --spurious-wakeups
//@ verdict: clean
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready;

static void *signaller(void *unused) {
#if defined FLAG || !defined UNLOCKED_SIGNAL
    pthread_mutex_lock(&mutex);
#endif
#ifdef FLAG
    ready = 1;
#endif
#if defined FLAG && defined UNLOCKED_SIGNAL
    pthread_mutex_unlock(&mutex);
#endif
#ifdef BROADCAST
    pthread_cond_broadcast(&condition);
#else
    pthread_cond_signal(&condition);
#endif
#ifndef UNLOCKED_SIGNAL
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, signaller, NULL);
    pthread_mutex_lock(&mutex);
#ifdef FLAG
    while (!ready)
#endif
        pthread_cond_wait(&condition, &mutex); // @wait
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
