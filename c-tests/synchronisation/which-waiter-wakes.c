//@ why: POSIX leaves open which of two sleepers a signal wakes, so each assertion that it is
//@      not this one fails. A broadcast wakes both, whichever goes on first.
//@ run: -DWINNER=1
//@ verdict: violations
//@ assertion: winner
//@ run: -DWINNER=2
//@ verdict: violations
//@ assertion: winner
//@ run: -DWINNER=3
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t go = PTHREAD_COND_INITIALIZER;
int asleep, signalled, winner;

static void *sleeper(void *number) {
    pthread_mutex_lock(&mutex);
    asleep++;
    pthread_cond_wait(&go, &mutex);
    if (signalled == 1 && winner == 0) {
        winner = (int)(intptr_t)number;
        assert(winner != WINNER); // @winner
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sleeper, (void *)(i + 1));
    for (int done = 0; !done;) {
        pthread_mutex_lock(&mutex);
        done = asleep == 2;
        if (done) {
            signalled = 1;
            pthread_cond_signal(&go);
        }
        pthread_mutex_unlock(&mutex);
        if (!done)
            return 0;
    }
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&go);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
