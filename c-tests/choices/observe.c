//@ why: Store buffering: of what the two loads return, (0, 0) alone needs a relaxed machine.
//@      main.0 is the first thread that main creates. With CHILD a thread that main.0 creates
//@      observes for it; what main observes is the same each time.
//@ verdict: clean
//@ run: --preemptions none --monitor none
//@ outcomes: main: 7 -1; main.0: 0; main.1: 1 | main: 7 -1; main.0: 1; main.1: 0 | main: 7
//@      -1; main.0: 1; main.1: 1
//@ run: --explorer dpor --monitor none
//@ outcomes: main: 7 -1; main.0: 0; main.1: 1 | main: 7 -1; main.0: 1; main.1: 0 | main: 7
//@      -1; main.0: 1; main.1: 1
//@ executions: 3
//@ run: --preemptions none --monitor none -j 2 --slice-executions 3
//@ outcomes: main: 7 -1; main.0: 0; main.1: 1 | main: 7 -1; main.0: 1; main.1: 0 | main: 7
//@      -1; main.0: 1; main.1: 1
//@ run: --explorer dpor --monitor none -j 2 --slice-executions 1
//@ outcomes: main: 7 -1; main.0: 0; main.1: 1 | main: 7 -1; main.0: 1; main.1: 0 | main: 7
//@      -1; main.0: 1; main.1: 1
//@ run: --preemptions 0 --monitor none
//@ why: Without a preemption one of them ends before the other one begins.
//@ outcomes: main: 7 -1; main.0: 0; main.1: 1 | main: 7 -1; main.0: 1; main.1: 0
//@ run: --explorer rsmc
//@ outcomes: main: 7 -1; main.0: 0; main.1: 1 | main: 7 -1; main.0: 1; main.1: 0 | main: 7
//@      -1; main.0: 1; main.1: 1
//@ run: --model tso
//@ outcomes: main: 7 -1; main.0: 0; main.1: 0 | main: 7 -1; main.0: 0; main.1: 1 | main: 7
//@      -1; main.0: 1; main.1: 0 | main: 7 -1; main.0: 1; main.1: 1
//@ run: --model power
//@ outcomes: main: 7 -1; main.0: 0; main.1: 0 | main: 7 -1; main.0: 0; main.1: 1 | main: 7
//@      -1; main.0: 1; main.1: 0 | main: 7 -1; main.0: 1; main.1: 1
//@ run: -DCHILD --explorer dpor --monitor none
//@ outcomes: main: 7 -1; main.0.0: 0; main.1: 1 | main: 7 -1; main.0.0: 1; main.1: 0 | main:
//@      7 -1; main.0.0: 1; main.1: 1
//@ run: -DRARE --preemptions none --monitor none
//@ why: Only who finds the other one's store observes: one of them, or both.
//@ outcomes: main.0: 1 | main.1: 1 | main.0: 1; main.1: 1
//@ run: -DRARE --model tso
//@ why: Under TSO nobody may find it.
//@ outcomes: | main.0: 1 | main.1: 1 | main.0: 1; main.1: 1
//@ run: -DFAILS --preemptions none --monitor none
//@ why: Executions that fail, here those in which main.0 reads 0, have no outcome.
//@ verdict: violations
//@ assertion: check
//@ outcomes: main: 7 -1; main.0: 1; main.1: 0 | main: 7 -1; main.0: 1; main.1: 1
//@ run: -DFAILS --explorer dpor --monitor none
//@ verdict: violations
//@ assertion: check
//@ outcomes: main: 7 -1; main.0: 1; main.1: 0 | main: 7 -1; main.0: 1; main.1: 1
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void observe(int value) {
#ifdef RARE
    if (value)
#endif
        fh_observe(value);
}

static void *seen(void *value) {
    observe(value != 0);
    return value;
}

static void *left(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    int value = atomic_load_explicit(&y, memory_order_relaxed);
#ifdef CHILD
    pthread_t child;
    pthread_create(&child, 0, seen, value ? &x : 0);
    pthread_join(child, 0);
#else
    observe(value);
#endif
#ifdef FAILS
    fh_assert(value); // @check
#endif
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    seen(atomic_load_explicit(&x, memory_order_relaxed) ? &x : 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
#ifndef RARE
    fh_observe(7);
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifndef RARE
    fh_observe(-1);
#endif
    return 0;
}
