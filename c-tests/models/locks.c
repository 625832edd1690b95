//@ why: Three threads take a mutex once each, in 3! = 6 orders; the graph has no other
//@      choice. What they do is ordered by it under every model.
//@ run: --model tso
//@ verdict: clean
//@ executions: 6
//@ run: --model pso
//@ verdict: clean
//@ executions: 6
//@ run: --model power
//@ verdict: clean
//@ executions: 6
//@ run: --model sc --explorer rsmc
//@ verdict: clean
//@ executions: 6
#include <assert.h>
#include <pthread.h>

#define THREADS 3

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *run(void *unused) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(count == THREADS);
}
