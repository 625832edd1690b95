//@ why: Dekker's flags with release and acquire: each load may overtake the store before it
//@      (SB). In McKenney's table ("Memory Ordering in Modern Microprocessors", Linux Journal
//@      2005) stores reordered after loads are the one thing that every machine does, x86 and
//@      SPARC TSO among them, and C11 says nothing about a release store before an acquire
//@      load of another variable. ARM is the exception where acquire loads are LDAR, which
//@      waits for STLR (ARM ARM, B2.3; --rcpc off): compilers use LDAPR where they may.
//@      Sequentially consistent accesses, and fences, forbid it everywhere.
//@ run: -DSET=release -DGET=acquire --model sc --explorer rsmc
//@ verdict: clean
//@ run: -DSET=release -DGET=acquire --model tso
//@ verdict: violations
//@ models: tso breaks
//@ assertion: both
//@ run: -DSET=release -DGET=acquire --model pso
//@ verdict: violations
//@ models: pso breaks
//@ assertion: both
//@ run: -DSET=release -DGET=acquire --model power
//@ verdict: violations
//@ models: power breaks
//@ assertion: both
//@ run: -DSET=release -DGET=acquire --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ assertion: both
//@ run: -DSET=release -DGET=acquire --model armv8 --rcpc off
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DSET=release -DGET=acquire --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: both
//@ run: -DSET=release -DGET=acquire --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ assertion: both
//@ run: -DSET=seq_cst -DGET=seq_cst --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DSET=seq_cst -DGET=seq_cst --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: -DSET=seq_cst -DGET=seq_cst --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DSET=seq_cst -DGET=seq_cst --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DSET=seq_cst -DGET=seq_cst --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DSET=seq_cst -DGET=seq_cst --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ORDER_OF(name) memory_order_##name
#define ORDER(name) ORDER_OF(name)

static atomic_int flags[2], inside;

static void *enters(void *number) {
    int own = (int)(long)number;
    atomic_store_explicit(&flags[own], 1, ORDER(SET));
    if (!atomic_load_explicit(&flags[1 - own], ORDER(GET))) {
        int others = atomic_fetch_add(&inside, 1);
        assert(others == 0); // @both
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, enters, (void *)0);
    pthread_create(&b, 0, enters, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
