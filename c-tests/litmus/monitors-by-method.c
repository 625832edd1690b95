//@ why: A store and a load on one side, two stores and a load on the other. Under both models the
//@      first load can come before its thread's store x, and the last load before its thread's
//@      stores, if the loads see what was there before: store buffering. Under PSO the store of z
//@      can also commit before that of y. But nobody looks at z, so that shows nowhere. All
//@      monitors prove the same by different means, if all interleavings are run.
//@ run: --monitor burnim_tso,prefix_tso,exact_tso,sober --preemptions none
//@ verdict: violations
//@ burnim_tso: store-x -> load-x, store-y -> load-y
//@ prefix_tso: store-x -> load-x, store-y -> load-y
//@ exact_tso: store-x -> load-x, store-y -> load-y
//@ sober: store-x -> load-x, store-y -> load-y
//@ run: --monitor burnim_pso,prefix_pso --preemptions none
//@ verdict: violations
//@ burnim_pso: store-x -> load-x, store-y -> load-y
//@ prefix_pso: store-x -> load-x, store-y -> load-y
//@ run: -DFENCED --preemptions none
//@      --monitor burnim_tso,burnim_pso,prefix_tso,prefix_pso,exact_tso,sober
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

volatile int x, y, z;

static void *left(void *unused) {
    (void)unused;
    x = 1; // @store-x
    FENCE();
    return (void *)(intptr_t)y; // @load-y
}

static void *right(void *unused) {
    (void)unused;
    y = 1; // @store-y
    z = 1;
    FENCE();
    return (void *)(intptr_t)x; // @load-x
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
