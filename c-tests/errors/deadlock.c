//@ why: Two mutexes, taken in opposite orders: one preemption between the two locks of a thread
//@      lets each thread hold what the other waits for, and main waits for the first of them. In
//@      the same order everywhere there is no cycle.
//@ run: --preemptions 0
//@ verdict: clean
//@ run: --preemptions 1
//@ verdict: violations
//@ deadlock: first second join
//@ run: -DORDERED --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdint.h>

pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *body(void *argument) {
    int first = (int)(intptr_t)argument;
#ifdef ORDERED
    first = 0;
#endif
    pthread_mutex_lock(&mutexes[first]);     // @first
    pthread_mutex_lock(&mutexes[1 - first]); // @second
    pthread_mutex_unlock(&mutexes[1 - first]);
    pthread_mutex_unlock(&mutexes[first]);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL); // @join
    return 0;
}
