//@ why: A reader waits for a flag, and keeps in each round what it reads of a variable. That load
//@      may be late where loads need not stay in order, and so it is known only afterwards whether
//@      the round did something. The reader ends with the 0 or the 1 of the variable. With LATE, a
//@      store behind the loop makes a third thread write a 2: the load of the last round reads it
//@      where a store may go before a load that it does not depend on, on ARMv8, RISC-V and POWER,
//@      not under TSO, and not in C11 as far as po and rf have no cycle.
//@ verdict: clean
//@ outcomes: main.0: 0 | main.0: 1
//@ run: --model tso
//@ run: --model c11
//@ run: --model armv8
//@ run: --model riscv
//@ run: --model power
//@ run: -DLATE --model tso
//@ run: -DLATE --model c11
//@ run: -DLATE --model armv8
//@ verdict: clean
//@ outcomes: main.0: 0 | main.0: 1 | main.0: 2
//@ run: -DLATE --model riscv
//@ verdict: clean
//@ outcomes: main.0: 0 | main.0: 1 | main.0: 2
//@ run: -DLATE --model power
//@ verdict: clean
//@ outcomes: main.0: 0 | main.0: 1 | main.0: 2
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(from) atomic_load_explicit(&(from), memory_order_relaxed)
#define STORE(to, value) atomic_store_explicit(&(to), value, memory_order_relaxed)

static atomic_int raised, begun, kept_of, behind;

static void *reads(void *unused) {
    int kept = 0;
    while (!LOAD(raised)) {
        if (LOAD(begun) == 1)
            kept = LOAD(kept_of);
    }
    STORE(behind, 1);
    fh_observe(kept);
    return unused;
}

static void *writes(void *unused) {
    STORE(kept_of, 1);
    STORE(begun, 1);
    STORE(raised, 1);
    return unused;
}

#ifdef LATE
static void *follows(void *unused) {
    if (LOAD(behind))
        STORE(kept_of, 2);
    return unused;
}
#endif

int main(void) {
    pthread_t threads[3];
    int count = 0;
    pthread_create(&threads[count++], NULL, reads, NULL);
    pthread_create(&threads[count++], NULL, writes, NULL);
#ifdef LATE
    pthread_create(&threads[count++], NULL, follows, NULL);
#endif
    while (count > 0)
        pthread_join(threads[--count], NULL);
    return 0;
}
