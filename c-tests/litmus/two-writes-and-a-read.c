//@ why: The shape R. The right thread's y = 2 may wait past its load of x under TSO, so that the
//@      left thread's y = 1 goes ahead of it. PSO allows that and also x = 1 to wait past y = 1. A
//@      full fence on the right ends the first, a release fence on the left the second.
//@ run: --preemptions none
//@ verdict: violations
//@ executions: 19
//@ tso: right-y -> left-y
//@ pso: right-y -> left-y, left-x -> right-x
//@ run: -DFENCED --preemptions none
//@ verdict: clean
//@ executions: 69
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef FENCED
#define FENCE(order) atomic_thread_fence(memory_order_##order)
#else
#define FENCE(order) ((void)0)
#endif

volatile int x, y;

static void *left(void *unused) {
    (void)unused;
    x = 1; // @left-x
    FENCE(release);
    y = 1; // @left-y
    return NULL;
}

static void *right(void *unused) {
    (void)unused;
    y = 2; // @right-y
    FENCE(seq_cst);
    return (void *)(intptr_t)x; // @right-x
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
