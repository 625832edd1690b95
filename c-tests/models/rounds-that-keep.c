//@ why: A reader waits for a flag, and keeps in each round what it reads of a number. A
//@      third thread writes a 1 there, or a 2 if it sees the store behind the reader's
//@      loop. The reader has the 0 that was there (beside either), the 1 of a thread that
//@      has not seen the store, or the 2 where a store may go before a load that it does
//@      not depend on: on ARMv8, RISC-V and POWER, not under TSO, and not in C11 as far as
//@      po and rf have no cycle. It makes no difference whether a branch stands behind the
//@      load (BRANCHES), nor whether the loop is written as three rounds at most
//@      (UNROLLED), where rounds that do nothing are executions of their own.
//@ verdict: clean
//@ run: --model tso
//@ executions: 3
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0
//@ run: --model c11
//@ executions: 3
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0
//@ run: --model armv8
//@ executions: 4
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
//@ run: --model riscv
//@ executions: 4
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
//@ run: --model power
//@ executions: 4
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
//@ run: -DBRANCHES --model tso
//@ executions: 3
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0
//@ run: -DBRANCHES --model c11
//@ executions: 3
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0
//@ run: -DBRANCHES --model armv8
//@ executions: 4
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
//@ run: -DBRANCHES --model riscv
//@ executions: 4
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
//@ run: -DBRANCHES --model power
//@ executions: 4
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
//@ run: -DUNROLLED --model tso
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0
//@ run: -DUNROLLED --model armv8
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
//@ run: -DUNROLLED --model power
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
//@ run: -DBRANCHES -DUNROLLED --model tso
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0
//@ run: -DBRANCHES -DUNROLLED --model armv8
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
//@ run: -DBRANCHES -DUNROLLED --model power
//@ outcomes: main.0: 0; main.2: 0 | main.0: 0; main.2: 1 | main.0: 1; main.2: 0 |
//@           main.0: 2; main.2: 1
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(from) atomic_load_explicit(&(from), memory_order_relaxed)
#define STORE(to, value) atomic_store_explicit(&(to), value, memory_order_relaxed)

static atomic_int raised, behind, number, other;

static void *reads(void *unused) {
    int kept = 0, seen = 0;
#ifdef UNROLLED
    for (int round = 0; round < 3 && !LOAD(raised); round++) {
#else
    while (!LOAD(raised)) {
#endif
        kept = LOAD(number);
#ifdef BRANCHES
        if (LOAD(other) == 1)
            seen = 1;
#endif
    }
#ifdef UNROLLED
    fh_assume(LOAD(raised));
#endif
    STORE(behind, 1);
    fh_observe(kept + 10 * seen);
    return unused;
}

static void *raises(void *unused) {
    STORE(raised, 1);
    return unused;
}

static void *follows(void *unused) {
    int had = LOAD(behind);
    STORE(number, had + 1);
    fh_observe(had);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reads, NULL);
    pthread_create(&threads[1], NULL, raises, NULL);
    pthread_create(&threads[2], NULL, follows, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
