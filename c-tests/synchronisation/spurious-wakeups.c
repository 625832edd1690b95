//@ why: POSIX lets a wait return for no reason. An `if` around it is enough until that
//@      happens, and is explored only where it is asked for; a `while` is always enough.
//@      That a thread might wake up for no reason saves nobody: without a signal the wake-up
//@      is lost all the same.
//@ run: --preemptions none
//@ verdict: clean
//@ run: --preemptions none --spurious-wakeups
//@ verdict: violations
//@ assertion: ready
//@ run: -DLOOP --preemptions none --spurious-wakeups
//@ verdict: clean
//@ run: -DLOOP -DSILENT --preemptions none --spurious-wakeups
//@ verdict: violations
//@ lost-wakeup: wait
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready;

static void *signaller(void *unused) {
    pthread_mutex_lock(&mutex);
#ifndef SILENT
    ready = 1;
#endif
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, signaller, NULL);
    pthread_mutex_lock(&mutex);
#ifdef LOOP
    while (!ready)
#else
    if (!ready)
#endif
        pthread_cond_wait(&condition, &mutex); // @wait
    assert(ready);                             // @ready
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
