//@ why: Each thread raises its flag, looks at the other's, and goes in if that is down: the
//@      entry of Dekker's lock. A store buffer lets both looks go ahead of the flags. Four pairs
//@      of values are read, and where both threads go in, either is first at the counter: 5
//@      executions. The pairs are those of store buffering, and only executions in which both
//@      looks read 0 have the cycle. With EXCLUSIVE the assertion fails in just these. With NEVER
//@      nothing is asserted. With OTHER it fails where both looks read 1, which is sequentially
//@      consistent and has no cycle. With ROUNDS the reader of two flags may see that the stores
//@      have changed places in a round that execution graphs leave out: nothing is known.
//@ run: -DEXCLUSIVE --model tso --monitor tso
//@ verdict: violations
//@ executions: 5
//@ tso: raise-0 -> look-1, raise-1 -> look-0
//@ fails: raise-0 -> look-1, raise-1 -> look-0
//@ assertion: exclusive
//@ run: -DEXCLUSIVE --model pso --monitor pso
//@ verdict: violations
//@ executions: 5
//@ pso: raise-0 -> look-1, raise-1 -> look-0
//@ fails: raise-0 -> look-1, raise-1 -> look-0
//@ assertion: exclusive
//@ run: -DEXCLUSIVE -DFENCED --model tso --monitor tso
//@ verdict: clean
//@ executions: 3
//@ run: -DNEVER --model tso --monitor tso
//@ verdict: violations
//@ executions: 5
//@ tso: raise-0 -> look-1, raise-1 -> look-0
//@ harmless: raise-0 -> look-1, raise-1 -> look-0
//@ run: -DOTHER --model tso --monitor tso
//@ verdict: violations
//@ executions: 5
//@ tso: raise-0 -> look-1, raise-1 -> look-0
//@ harmless: raise-0 -> look-1, raise-1 -> look-0
//@ assertion: other
//@ run: -DROUNDS --model pso --monitor pso
//@ verdict: incomplete
//@ undecided: yes
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE()
#endif

static atomic_int flag[2], inside;

#ifdef ROUNDS
static void *raises(void *unused) {
    STORE(&flag[0], 1);
    STORE(&flag[1], 1);
    return unused;
}

static void *waits(void *unused) {
    int first, second;
    do {
        first = LOAD(&flag[0]);
        second = LOAD(&flag[1]);
    } while (!(first && second));
    return unused;
}
#define FIRST raises
#define SECOND waits
#else
static void *enter_0(void *unused) {
    STORE(&flag[0], 1); // @raise-0
    FENCE();
    if (LOAD(&flag[1]) == 0) // @look-0
        atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed);
    return unused;
}

static void *enter_1(void *unused) {
    STORE(&flag[1], 1); // @raise-1
    FENCE();
    if (LOAD(&flag[0]) == 0) // @look-1
        atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed);
    return unused;
}
#define FIRST enter_0
#define SECOND enter_1
#endif

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, FIRST, 0);
    pthread_create(&b, 0, SECOND, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef EXCLUSIVE
    assert(LOAD(&inside) <= 1); // @exclusive
#endif
#ifdef OTHER
    assert(LOAD(&inside) >= 1); // @other
#endif
}
