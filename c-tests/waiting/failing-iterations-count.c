//@ why: An iteration of the wait loads a before it is stored and then sees b = 1; under PSO a = 1
//@      may wait past b = 1, so that the load of a in the next iteration goes ahead of it as well.
//@      The cycle runs over two iterations, of which the first fails: monitors must see such
//@      iterations, although executions that differ in them alone count once. dpor goes through
//@      the first iteration, and on as if it had not been, since nothing comes of it: without it
//@      the wait ends in the same way under PSO, and under SC, too. --strict goes on behind it.
//@ run: --preemptions none
//@ verdict: violations
//@ pso: store-a -> load-a
//@ run: -DFENCED --preemptions none
//@ verdict: clean
//@ run: --explorer dpor
//@ verdict: clean
//@ executions: 1
//@ run: --explorer dpor --strict
//@ verdict: violations
//@ executions: 1
//@ pso: store-a -> load-a
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define ORDER memory_order_release
#else
#define ORDER memory_order_relaxed
#endif

atomic_int a, b;

static void *writer(void *unused) {
    atomic_store_explicit(&a, 1, memory_order_relaxed); // @store-a
    atomic_store_explicit(&b, 1, ORDER);
    return unused;
}

static void *reader(void *unused) {
    int seen_a, seen_b;
    do {
        seen_a = atomic_load_explicit(&a, memory_order_relaxed); // @load-a
        seen_b = atomic_load_explicit(&b, memory_order_relaxed);
    } while (!(seen_a && seen_b));
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
