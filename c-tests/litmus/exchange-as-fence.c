//@ why: Store buffering where an exchange on a variable of the thread's own stands in for the
//@      fence. Under TSO an exchange waits until the whole buffer is empty, so it works. Under PSO
//@      a relaxed one waits for its own address only, so it does not; a sequentially consistent one
//@      has full fences on both sides. Three events in each of two created threads: 69 executions.
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

static void *left(void *unused) {
    (void)unused;
    x = 1; // @store-x
    (void)atomic_exchange_explicit(&left_own, 1, ORDER);
    return (void *)(intptr_t)y; // @load-y
}

static void *right(void *unused) {
    (void)unused;
    y = 1; // @store-y
    (void)atomic_exchange_explicit(&right_own, 1, ORDER);
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
