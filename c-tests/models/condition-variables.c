//@ why: A consumer waits for a flag under a mutex, a producer sets it and signals after that.
//@      Either critical section comes first. If it is the consumer's, it sleeps before the flag is
//@      set, and the signal wakes it: one execution. If it is the producer's, the consumer never
//@      sleeps: one more. A consumer that does not look at the flag sleeps in any case: then the
//@      signal comes before it or after it, and before it is lost. The mutex orders the data under
//@      every model.
//@ run: --model power
//@ verdict: clean
//@ executions: 2
//@ run: --model tso
//@ verdict: clean
//@ executions: 2
//@ run: --model sc --explorer rsmc
//@ verdict: clean
//@ executions: 2
//@ run: -DBLIND --model power
//@ verdict: violations
//@ executions: 3
//@ lost-wakeup: join sleep
//@ run: -DBLIND -DBROADCAST --model pso
//@ verdict: violations
//@ executions: 3
//@ lost-wakeup: join sleep
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, data;

static void *consume(void *unused) {
    pthread_mutex_lock(&mutex);
#ifndef BLIND
    while (!ready)
#endif
        pthread_cond_wait(&condition, &mutex); // @sleep
    assert(data == 1);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *produce(void *unused) {
    pthread_mutex_lock(&mutex);
    data = 1;
    ready = 1;
    pthread_mutex_unlock(&mutex);
#ifdef BROADCAST
    pthread_cond_broadcast(&condition);
#else
    pthread_cond_signal(&condition);
#endif
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, consume, 0);
    pthread_create(&b, 0, produce, 0);
    pthread_join(a, 0); // @join
    pthread_join(b, 0);
}
