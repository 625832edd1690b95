//@ why: Each thread stores and then loads what the other stores. A store buffer lets both loads go
//@      first, so both read 0, which no interleaving explains. A full fence empties the buffer in
//@      between. The counts are those of two created threads with two and three events each.
//@ run: --preemptions none
//@ verdict: violations
//@ executions: 19
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: --preemptions 0
//@ why: One thread after the other, in either order, is enough for the monitors: the first one's
//@      store may still wait while the second one runs.
//@ verdict: violations
//@ executions: 3
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DFENCED --preemptions none
//@ verdict: clean
//@ executions: 69
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

volatile int x, y;

static void *left(void *unused) {
    (void)unused;
    x = 1; // @store-x
    FENCE();
    return (void *)(intptr_t)y; // @load-y
}

static void *right(void *unused) {
    (void)unused;
    y = 1; // @store-y
    FENCE();
    return (void *)(intptr_t)x; // @load-x
}

int main(void) {
    pthread_t threads[2];
    void *seen[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], &seen[0]);
    pthread_join(threads[1], &seen[1]);
    assert(seen[0] || seen[1]);
    return 0;
}
