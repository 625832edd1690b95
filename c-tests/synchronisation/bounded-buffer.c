//@ why: Two producers, two consumers, room for one. With one condition variable for both, the
//@      signal of a producer may wake the other producer, which finds the buffer full and sleeps
//@      again: a producer and a consumer are left, whichever of two each, at the same places. Two
//@      condition variables, or a broadcast, wake somebody who can go on.
//@ run: --preemptions 1
//@ verdict: violations
//@ lost-wakeup: join full empty
//@ run: -DBROADCAST --preemptions 1
//@ verdict: clean
//@ run: -DTWO --preemptions 1
//@ verdict: clean
#include <pthread.h>
#include <stddef.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER, other = PTHREAD_COND_INITIALIZER;
int count;

#ifdef TWO
#define NOT_FULL other
#else
#define NOT_FULL condition
#endif
#ifdef BROADCAST
#define WAKE pthread_cond_broadcast
#else
#define WAKE pthread_cond_signal
#endif

static void *produce(void *unused) {
    pthread_mutex_lock(&mutex);
    while (count == 1)
        pthread_cond_wait(&NOT_FULL, &mutex); // @full
    count++;
    WAKE(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *consume(void *unused) {
    pthread_mutex_lock(&mutex);
    while (count == 0)
        pthread_cond_wait(&condition, &mutex); // @empty
    count--;
    WAKE(&NOT_FULL);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 == 0 ? produce : consume, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL); // @join
    return 0;
}
