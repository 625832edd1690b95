//@ why: Who leaves an MCS lock hands it over by a store to the next one's node. If that does
//@      not release, what was done under the lock may come later (MP): Linux hands over by
//@      smp_store_release (kernel/locking/mcs_spinlock.h). Machines that reorder stores after
//@      stores break it, ARM and RISC-V here; TSO keeps them in order (McKenney, "Memory
//@      Ordering in Modern Microprocessors", Linux Journal 2005). PSO and POWER do reorder
//@      stores, but are saved by the compare-and-exchange that releases before: its fence,
//@      membar or lwsync, has executed though it fails, where a failed one of ARM or RISC-V is
//@      but a load. Under C11 a failed one releases nothing either, and the counter races.
//@ run: -DHAND_OVER=relaxed --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DHAND_OVER=relaxed --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: -DHAND_OVER=relaxed --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DHAND_OVER=relaxed --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ assertion: lost
//@ run: -DHAND_OVER=relaxed --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: lost
//@ run: -DHAND_OVER=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ assertion: lost
//@ race: read write, write write
//@ run: -DHAND_OVER=release --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DHAND_OVER=release --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DHAND_OVER=release --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DHAND_OVER=release --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ORDER_OF(name) memory_order_##name
#define ORDER(name) ORDER_OF(name)

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

static _Atomic(struct node *) tail;
static struct node nodes[2];
static int counter;

static void *adds(void *number) {
    struct node *own = &nodes[(long)number];
    atomic_store_explicit(&own->waits, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, own, memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&before->next, own, memory_order_release);
        while (atomic_load_explicit(&own->waits, memory_order_acquire))
            ;
    }
    int old = counter; // @read
    counter = old + 1; // @write
    struct node *last = own;
    if (!atomic_compare_exchange_strong_explicit(&tail, &last, 0, memory_order_release,
                                                 memory_order_relaxed)) {
        struct node *next;
        while (!(next = atomic_load_explicit(&own->next, memory_order_acquire)))
            ;
        atomic_store_explicit(&next->waits, 0, ORDER(HAND_OVER));
    }
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, adds, (void *)0);
    pthread_create(&b, 0, adds, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2); // @lost
}
