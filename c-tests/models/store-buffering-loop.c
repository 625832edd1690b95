//@ why: Each of two threads stores to its own variable and loads the other one, n
//@      times. The loads of a thread read an ascending sequence of the other's n stores and
//@      the initial value: C(2n, n) choices. With relaxed accesses POWER allows all pairs of
//@      such choices, C(2n, n)^2, 4900 for n = 4. TSO and PSO keep what comes after a load
//@      behind it, and with release stores their order: if load i of one thread reads a
//@      store behind load k of the other one, then that one does not read a store behind
//@      load i. Counting the pairs of ascending sequences without such an i and k leaves
//@      4116.
//@ run: -DRELAXED --model power
//@ verdict: clean
//@ executions: 4900
//@ run: --model tso
//@ verdict: clean
//@ executions: 4116
//@ run: --model pso
//@ verdict: clean
//@ executions: 4116
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 4
#endif

#ifdef RELAXED
#define LOAD memory_order_relaxed
#define STORE memory_order_relaxed
#else
#define LOAD memory_order_acquire
#define STORE memory_order_release
#endif

static atomic_int x, y;

static void *left(void *unused) {
    for (int i = 1; i <= ROUNDS; i++) {
        atomic_store_explicit(&x, i, STORE);
        (void)atomic_load_explicit(&y, LOAD);
    }
    return unused;
}

static void *right(void *unused) {
    for (int i = 1; i <= ROUNDS; i++) {
        atomic_store_explicit(&y, i, STORE);
        (void)atomic_load_explicit(&x, LOAD);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
