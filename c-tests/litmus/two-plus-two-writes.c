//@ why: The threads write x and y in opposite orders. That both first writes come last is a cycle,
//@      so the assertion holds on every interleaving. TSO keeps each thread's writes in order. PSO
//@      has a queue an address: either first write may wait until the other thread has written
//@      there. Two and three events in each of two created threads: 19 and 69 executions.
//@ run: --preemptions none
//@ verdict: violations
//@ executions: 19
//@ pso: first-x -> second-x, first-y -> second-y
//@ run: -DFENCED --preemptions none
//@ verdict: clean
//@ executions: 69
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_release)
#else
#define FENCE() ((void)0)
#endif

volatile int x, y;

static void *left(void *unused) {
    (void)unused;
    x = 1; // @first-x
    FENCE();
    y = 2; // @second-y
    return NULL;
}

static void *right(void *unused) {
    (void)unused;
    y = 1; // @first-y
    FENCE();
    x = 2; // @second-x
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(!(x == 1 && y == 1));
    return 0;
}
