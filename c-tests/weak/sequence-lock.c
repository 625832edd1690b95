//@ why: A reader of a sequence lock reads the data, and then the count again: without an
//@      acquire fence between, the second read of the count may come first, and the data be
//@      torn (Boehm, "Can Seqlocks Get Along with Programming Language Memory Models?", MSPC
//@      2012, whose reader has that fence and whose data is atomic and relaxed, as here). In
//@      McKenney's table ("Memory Ordering in Modern Microprocessors", Linux Journal 2005) ARM
//@      and POWER reorder loads after loads, x86 and SPARC under TSO and PSO do not; RISC-V
//@      does, if the addresses differ. By C11 nothing orders relaxed loads. The data is
//@      atomic: nothing races.
//@ run: -DUNFENCED --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DUNFENCED --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: -DUNFENCED --model power
//@ verdict: violations
//@ models: power breaks
//@ assertion: torn
//@ run: -DUNFENCED --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ assertion: torn
//@ run: -DUNFENCED --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: torn
//@ run: -DUNFENCED --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ assertion: torn
//@ run: --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: --model power
//@ verdict: clean
//@ models: power harmless
//@ run: --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static atomic_uint count;
static atomic_int first, second;

static void *writer(void *unused) {
    STORE(&count, 1);
    atomic_thread_fence(memory_order_release);
    STORE(&first, 1);
    STORE(&second, 1);
    atomic_store_explicit(&count, 2, memory_order_release);
    return unused;
}

static void *reader(void *unused) {
    unsigned before = atomic_load_explicit(&count, memory_order_acquire);
    int a = LOAD(&first), b = LOAD(&second);
#ifndef UNFENCED
    atomic_thread_fence(memory_order_acquire);
#endif
    unsigned after = LOAD(&count);
    assert(before % 2 || before != after || a == b); // @torn
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
