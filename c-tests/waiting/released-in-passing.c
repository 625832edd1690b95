//@ why: main holds the mutex where its loop begins, and lets go of it in each round only. A round
//@      that nobody used changes nothing, but main does not wait there for ever: the other thread
//@      may have the mutex in the next one. Where that thread writes nothing, nobody ends the loop.
//@ run: --preemptions none
//@ verdict: clean
//@ run: --preemptions 2
//@ verdict: clean
//@ run: --preemptions none -DNEVER
//@ verdict: violations
//@ livelock: looks
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, written;

static void *other(void *unused) {
    pthread_mutex_lock(&mutex);
#ifdef NEVER
    written = 1;
#else
    ready = 1;
#endif
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, other, NULL);
    while (!ready) { // @looks
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return written;
}
