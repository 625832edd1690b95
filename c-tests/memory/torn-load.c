//@ why: One thread stores the two halves of a variable, the other one loads it whole, once.
//@      Under PSO the second half can commit first: the load sees it and the first half's
//@      old value, which it cannot in any interleaving, since between two events the memory
//@      always has the first half if it has the second. Under TSO stores commit in order,
//@      under both models a store of the whole variable commits whole, and a barrier
//@      between the stores orders them under PSO.
//@ run: --preemptions none
//@ verdict: violations
//@ pso: store-first -> load
//@ run: -DBARRIER --preemptions none
//@ verdict: clean
//@ run: -DWHOLE --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

volatile union {
    uint64_t whole;
    uint32_t halves[2];
} x;

static void *writer(void *unused) {
#ifdef WHOLE
    x.whole = 0x100000001;
#else
    x.halves[0] = 1; // @store-first
#ifdef BARRIER
    atomic_thread_fence(memory_order_release);
#endif
    x.halves[1] = 1;
#endif
    return unused;
}

static void *reader(void *unused) {
    (void)unused;
    return (void *)(uintptr_t)x.whole; // @load
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
