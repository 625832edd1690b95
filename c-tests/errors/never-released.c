//@ why: A thread that returns with a lock keeps it for ever: whoever locks after it waits in vain,
//@      for the lock by itself or in a loop that would take it. Main, which asks for the lock
//@      first, gets it. The repaired thread gives the lock back. The one that asks twice waits for
//@      itself.
//@ run: --preemptions none
//@ verdict: violations
//@ deadlock: keeps again
//@ run: -DPOLLS --preemptions none
//@ verdict: violations
//@ deadlock: keeps polled
//@ run: -DREPAIRED --preemptions none
//@ verdict: clean
//@ run: -DREPAIRED -DPOLLS --preemptions none
//@ verdict: clean
//@ run: -DTWICE --preemptions 0
//@ verdict: violations
//@ deadlock: keeps twice join
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int found;

static void *body(void *unused) {
    pthread_mutex_lock(&mutex); // @keeps
#ifdef TWICE
    pthread_mutex_lock(&mutex); // @twice
#endif
    found = 1;
#ifdef REPAIRED
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
#ifdef TWICE
    pthread_join(thread, NULL); // @join
#elif defined POLLS
    int seen;
    do {
        pthread_mutex_lock(&mutex); // @polled
        seen = found;
        pthread_mutex_unlock(&mutex);
    } while (!seen);
#else
    pthread_mutex_lock(&mutex); // @again
    pthread_mutex_unlock(&mutex);
#endif
    return 0;
}
