//@ why: The index of a ring is published before its slot is written: the store of the index
//@      does not release, so it may overtake that of the slot (MP). The documentation of Linux
//@      (core-api/circular-buffers) has the producer store its head by smp_store_release and
//@      the consumer read it by smp_load_acquire. McKenney's table ("Memory Ordering in Modern
//@      Microprocessors", Linux Journal 2005) says who reorders stores after stores: POWER,
//@      ARM and SPARC PSO do, x86 and SPARC TSO do not; RISC-V orders no two stores to
//@      different addresses by itself (ISA manual, RVWMO). Under C11 the slot, which is not
//@      atomic, races; with release and acquire the ring is right everywhere.
//@ run: -DPUBLISH=relaxed --model sc --explorer rsmc
//@ verdict: clean
//@ run: -DPUBLISH=relaxed --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DPUBLISH=relaxed --model pso
//@ verdict: violations
//@ models: pso breaks
//@ assertion: empty
//@ run: -DPUBLISH=relaxed --model power
//@ verdict: violations
//@ models: power breaks
//@ assertion: empty
//@ run: -DPUBLISH=relaxed --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ assertion: empty
//@ run: -DPUBLISH=relaxed --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: empty
//@ run: -DPUBLISH=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ assertion: empty
//@ race: write read
//@ run: -DPUBLISH=release --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: -DPUBLISH=release --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DPUBLISH=release --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DPUBLISH=release --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DPUBLISH=release --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ORDER_OF(name) memory_order_##name
#define ORDER(name) ORDER_OF(name)

static int slots[2];
static atomic_uint tail;

static void *producer(void *unused) {
    for (unsigned at = 0; at < 2; at++) {
        slots[at] = 1; // @write
        atomic_store_explicit(&tail, at + 1, ORDER(PUBLISH));
    }
    return unused;
}

static void *consumer(void *unused) {
    unsigned end = atomic_load_explicit(&tail, memory_order_acquire);
    for (unsigned at = 0; at < end; at++) {
        int value = slots[at]; // @read
        assert(value == 1);    // @empty
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
