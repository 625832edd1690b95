//@ why: Each addition is one step, whatever its width and however it is made, so none is lost; two
//@      threads of two steps each, and one more of main, which comes after the joins.
//@ verdict: clean
//@ run: -DTYPE=uint8_t --preemptions none
//@ executions: 19
//@ run: -DTYPE=uint16_t --preemptions none
//@ executions: 19
//@ run: -DTYPE=uint32_t --preemptions none
//@ executions: 19
//@ run: -DTYPE=uint64_t --preemptions none
//@ executions: 19
//@ run: -DTYPE=uint32_t -DRETRY --preemptions none
//@ why: Here a step is a load and a compare-and-swap, which is tried again until it succeeds.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

_Atomic(TYPE) sum;

static void add(TYPE value) {
#ifdef RETRY
    TYPE old = atomic_load_explicit(&sum, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(&sum, &old, old + value))
        ;
#else
    atomic_fetch_add_explicit(&sum, value, memory_order_relaxed);
#endif
}

static void *body(void *unused) {
    add(100);
    add(101);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&sum) == (TYPE)402);
    return 0;
}
