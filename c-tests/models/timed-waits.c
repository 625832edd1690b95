//@ why: The consumer goes round a wait with a limit until a flag is set. If the producer comes
//@      first it never waits. Else it sleeps, and is woken; or its time is over before the signal,
//@      and then it gets the mutex back before the producer, goes round and is woken, or after it,
//@      and sees the flag. That is four: a second round without effect stands for no other
//@      execution. If the flag is never set the consumer goes round for ever.
//@ run: --model power
//@ verdict: clean
//@ executions: 4
//@ run: --model tso
//@ verdict: clean
//@ executions: 4
//@ run: -DNEVER --model power
//@ verdict: violations
//@ livelock: join flag sleep
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *consume(void *unused) {
    struct timespec limit = {1, 0};
    pthread_mutex_lock(&mutex);
    while (!ready)                                          // @flag
        pthread_cond_timedwait(&condition, &mutex, &limit); // @sleep
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *produce(void *unused) {
    pthread_mutex_lock(&mutex);
#ifndef NEVER
    ready = 1;
#endif
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, consume, 0);
    pthread_create(&b, 0, produce, 0);
    pthread_join(a, 0); // @join
    pthread_join(b, 0);
}
