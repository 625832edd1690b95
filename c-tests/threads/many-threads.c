//@ why: Thirty threads, each adding to one counter, created and joined in turn: in one chain of
//@      events there is nothing to interleave. All at once, without preemptions: they run to their
//@      ends in some order, so the sum is the same, and no more than a budget's worth of orders is
//@      tried.
//@ run: -DIN_TURN --preemptions none
//@ verdict: clean
//@ executions: 1
//@ run: --preemptions 0 --executions 1000
//@ verdict: incomplete
//@ stopped-by: executions
//@ executions: 1000
#include <assert.h>
#include <pthread.h>

enum { THREADS = 30 };
volatile int counter;

static void *body(void *unused) {
    counter++;
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, body, NULL);
#ifdef IN_TURN
        pthread_join(threads[i], NULL);
#endif
    }
#ifndef IN_TURN
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
#endif
    assert(counter == THREADS);
    return 0;
}
