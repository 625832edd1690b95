//@ why: The compare-and-swap fails whatever happens. Before a fence behind it the other thread
//@      can store the flag that the compare-and-swap has read, and still read x from before the
//@      first store, which waits. So the compare-and-swap comes before the store of the flag, and
//@      the load of x before the store of x: no interleaving explains that. Under TSO a
//@      compare-and-swap waits for all stores before it; so it does under PSO if its success or
//@      its failure is sequentially consistent, since compilers then make the whole so.
//@ run: -DSUCCESS=memory_order_relaxed -DFAILURE=memory_order_relaxed --preemptions none
//@ verdict: violations
//@ pso: store-x -> load-x
//@ run: -DSUCCESS=memory_order_relaxed --preemptions none
//@ verdict: clean
//@ run: -DSUCCESS=memory_order_seq_cst --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef FAILURE
#define FAILURE memory_order_seq_cst
#endif

volatile int x;
atomic_int flag;

static void *left(void *unused) {
    int expected = 1;
    x = 1; // @store-x
    atomic_compare_exchange_strong_explicit(&flag, &expected, 3, SUCCESS, FAILURE);
    return unused;
}

static void *right(void *unused) {
    (void)unused;
    atomic_store(&flag, 2);
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
