//@ why: The pointer to a singleton is read without its lock. If it is published without
//@      release, the object may be seen before it is written ("The Double-Checked Locking is
//@      Broken Declaration" of Bacon, Bloch, Pugh and others), where a machine reorders stores
//@      after stores: PSO, ARM and POWER in McKenney's table ("Memory Ordering in Modern
//@      Microprocessors", Linux Journal 2005), and RISC-V. If only the reader's acquire is
//@      missing, the machines keep the order, since the address of what is read depends on the
//@      pointer: in that table Alpha alone reorders dependent loads. C11 has no such rule for
//@      relaxed loads, and the object races (so Meyers and Alexandrescu, "C++ and the Perils
//@      of Double-Checked Locking", ask for barriers on both sides).
//@ run: -DSET=relaxed -DGET=acquire --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DSET=relaxed -DGET=acquire --model pso
//@ verdict: violations
//@ models: pso breaks
//@ assertion: unmade
//@ run: -DSET=relaxed -DGET=acquire --model power
//@ verdict: violations
//@ models: power breaks
//@ assertion: unmade
//@ run: -DSET=relaxed -DGET=acquire --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ assertion: unmade
//@ run: -DSET=relaxed -DGET=acquire --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: unmade
//@ run: -DSET=relaxed -DGET=acquire --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ assertion: unmade
//@ race: make use
//@ run: -DSET=release -DGET=relaxed --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DSET=release -DGET=relaxed --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DSET=release -DGET=relaxed --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DSET=release -DGET=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ assertion: unmade
//@ race: make use
//@ run: -DSET=release -DGET=acquire --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DSET=release -DGET=acquire --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DSET=release -DGET=acquire --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DSET=release -DGET=acquire --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ORDER_OF(name) memory_order_##name
#define ORDER(name) ORDER_OF(name)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thing {
    int made;
} only;
static _Atomic(struct thing *) instance;

static void *get(void *unused) {
    struct thing *found = atomic_load_explicit(&instance, ORDER(GET));
    if (!found) {
        pthread_mutex_lock(&lock);
        found = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!found) {
            only.made = 1; // @make
            atomic_store_explicit(&instance, &only, ORDER(SET));
            found = &only;
        }
        pthread_mutex_unlock(&lock);
    }
    int made = found->made; // @use
    assert(made == 1);      // @unmade
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, get, 0);
    pthread_create(&b, 0, get, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
