//@ why: PostgreSQL's latch (Alglave, Kroening, Nimal, Tautschnig, ESOP 2013): who is
//@      woken by the latch must find the work that the flag announces, or sleeps on with it.
//@      The stores of flag and latch are unordered on PSO and POWER without a fence, and so
//@      are the loads on POWER; the wait loop ends by itself.
//@ run: --model power
//@ verdict: violations
//@ assertion: work
//@ run: --model pso
//@ verdict: violations
//@ assertion: work
//@ run: --model tso
//@ verdict: clean
//@ executions: 1
//@ run: -DREPAIRED --model power
//@ verdict: clean
//@ executions: 1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef REPAIRED
#define FENCE atomic_thread_fence(memory_order_acq_rel)
#else
#define FENCE
#endif
#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static atomic_int latch, flag;

static void *wakes(void *unused) {
    STORE(&flag, 1);
    FENCE;
    STORE(&latch, 1);
    return unused;
}

static void *waits(void *unused) {
    while (!LOAD(&latch)) {
    }
    FENCE;
    int work = LOAD(&flag);
    assert(work); // @work
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, wakes, 0);
    pthread_create(&b, 0, waits, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
