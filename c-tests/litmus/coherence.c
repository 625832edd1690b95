//@ why: All accesses are to one variable. Coherence makes that look sequentially consistent in both
//@      models, however long stores wait. Two events in each of two created threads.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 19
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

volatile int x;

static void *writer(void *unused) {
    x = 1;
    x = 2;
    return unused;
}

static void *reader(void *unused) {
    (void)unused;
    int first = x;
    int second = x;
    return (void *)(intptr_t)(first <= second);
}

int main(void) {
    pthread_t threads[2];
    void *in_order;
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], &in_order);
    assert(in_order);
    return 0;
}
