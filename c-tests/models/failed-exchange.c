//@ why: A compare-and-swap that fails waits for stores as one that succeeds does. With release
//@      for success, PSO's store-store barrier before it keeps the store of p in front: that it
//@      failed means that it came before `ac = 1`, and so p = 2 before p = 1. Three executions:
//@      failed; succeeded, with either order of p's stores. Relaxed, p = 2 may come last behind
//@      one that failed: a fourth, in which the assertion fails. TSO's is locked in any case.
//@      OWN: the store of x is committed before the compare-and-swap of x is performed, so the
//@      load behind it is not overtaken: store buffering has its three executions of SC left.
//@ run: --explorer dpor
//@ executions: 3
//@ verdict: clean
//@ run: --model tso
//@ executions: 3
//@ verdict: clean
//@ run: --model pso
//@ executions: 3
//@ verdict: clean
//@ run: -DRELAXED --explorer dpor
//@ executions: 3
//@ verdict: violations
//@ pso: mine -> theirs
//@ run: -DRELAXED --model tso
//@ executions: 3
//@ verdict: clean
//@ run: -DRELAXED --model pso
//@ executions: 4
//@ verdict: violations
//@ assertion: late
//@ run: -DOWN --explorer dpor
//@ executions: 3
//@ verdict: clean
//@ run: -DOWN --model tso
//@ executions: 3
//@ verdict: clean
//@ run: -DOWN --model pso
//@ executions: 3
//@ verdict: clean
//@ run: -DOWN -DRELAXED --model pso
//@ executions: 3
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef RELAXED
#define SUCCESS memory_order_relaxed
#else
#define SUCCESS memory_order_release
#endif

static atomic_int ac, p, x, z;

#ifdef OWN
static int saw_z, saw_x;

static void *one(void *unused) {
    int expected = 5;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_compare_exchange_strong_explicit(&x, &expected, 6, SUCCESS, memory_order_relaxed);
    saw_z = atomic_load_explicit(&z, memory_order_relaxed);
    return unused;
}

static void *two(void *unused) {
    atomic_store_explicit(&z, 1, memory_order_seq_cst);
    saw_x = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

static void check(void) { assert(saw_z == 1 || saw_x == 1); }
#else
static int swapped;

static void *one(void *unused) {
    int expected = 1;
    atomic_store_explicit(&p, 2, memory_order_relaxed); // @mine
    swapped =
        atomic_compare_exchange_strong_explicit(&ac, &expected, 3, SUCCESS, memory_order_relaxed);
    return unused;
}

static void *two(void *unused) {
    atomic_store_explicit(&ac, 1, memory_order_relaxed);
    atomic_store_explicit(&p, 1, memory_order_release); // @theirs
    return unused;
}

static void check(void) { assert(swapped || atomic_load(&p) == 1); } // @late
#endif

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    check();
    return 0;
}
