//@ why: Who drops the last reference destroys the object. If drops are relaxed, another
//@      thread's last use may come after that: its load and the drop behind it may change
//@      places (LB with a control dependency). In McKenney's table ("Memory Ordering in Modern
//@      Microprocessors", Linux Journal 2005) ARM and POWER reorder loads after stores, x86
//@      and SPARC under TSO and PSO do not; RISC-V does. Under C11 use and destruction race. A
//@      release in each drop is enough on the machines, where destruction depends on the
//@      count: a branch orders stores behind it. C11 asks for the acquire as well (Boost's
//@      documentation of atomics, in its example of reference counting, and Rust's Arc have
//@      both: a drop that releases, and an acquire fence for the last one).
//@ run: -DDROP=relaxed --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DDROP=relaxed --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: -DDROP=relaxed --model power
//@ verdict: violations
//@ models: power breaks
//@ assertion: destroyed
//@ run: -DDROP=relaxed --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ assertion: destroyed
//@ run: -DDROP=relaxed --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: destroyed
//@ run: -DDROP=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ race: use destroy
//@ run: -DDROP=release --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DDROP=release --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DDROP=release --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DDROP=release --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ race: use destroy
//@ run: -DDROP=acq_rel --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DDROP=acq_rel --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DDROP=acq_rel --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DDROP=acq_rel --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ORDER_OF(name) memory_order_##name
#define ORDER(name) ORDER_OF(name)

static int living = 1;
static atomic_int references = 2;

static void *owner(void *unused) {
    int seen = living; // @use
    if (atomic_fetch_sub_explicit(&references, 1, ORDER(DROP)) == 1)
        living = 0;    // @destroy
    assert(seen == 1); // @destroyed
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, owner, 0);
    pthread_create(&b, 0, owner, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
