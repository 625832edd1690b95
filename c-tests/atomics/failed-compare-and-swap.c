//@ why: A compare-and-swap that fails writes nothing, but waits for the store buffer as one that
//@      succeeds does: under TSO for all of it, under PSO for its own address, and with full fences
//@      where the failure is sequentially consistent. So store buffering with a failing one in
//@      between is as with an exchange (litmus/exchange-as-fence.c).
//@ executions: 69
//@ run: -DORDER=memory_order_relaxed --preemptions none
//@ verdict: violations
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DORDER=memory_order_seq_cst --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

volatile int x, y;
atomic_int left_own, right_own;

static void fail(atomic_int *variable) {
    int expected = 1;
    atomic_compare_exchange_strong_explicit(variable, &expected, 2, ORDER, ORDER);
}

static void *left(void *unused) {
    (void)unused;
    x = 1; // @store-x
    fail(&left_own);
    return (void *)(intptr_t)y; // @load-y
}

static void *right(void *unused) {
    (void)unused;
    y = 1; // @store-y
    fail(&right_own);
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
