//@ why: Two threads share a block; who drops the last of two references frees it. If drops are
//@      relaxed, the other thread's use may come after the free. A free is as a store to all of
//@      the block that depends on the count read before it: with a store as use that is the
//@      shape S, a store before another one there, a load and a dependent store here; with a
//@      load it is LB with a dependency in one thread. In McKenney's table ("Memory Ordering in
//@      Modern Microprocessors", Linux Journal 2005) stores pass stores on ARM, POWER and SPARC's
//@      PSO, stores pass loads on ARM and POWER alone, and neither on x86; RISC-V is as ARM. To
//@      C11 both are unordered. A drop that releases is enough on the machines: S and LB with a
//@      release there and a dependency here are forbidden (Maranget, Sarkar and Sewell, "A
//@      Tutorial Introduction to the ARM and POWER Relaxed Memory Models", 2012). C11 wants an
//@      acquire as well, in the drop or in a fence behind the last one (Boost's documentation of
//@      atomics, "Reference counting"): without it not even the other drop happens before the free.
//@ run: -DDROP=relaxed -DUSE=store --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DDROP=relaxed -DUSE=load --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DDROP=relaxed -DUSE=load --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: -DDROP=relaxed -DUSE=store --model pso
//@ verdict: violations
//@ models: pso breaks
//@ use-after-free: use free allocate
//@ run: -DDROP=relaxed -DUSE=store --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ use-after-free: use free allocate
//@ run: -DDROP=relaxed -DUSE=store --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ use-after-free: use free allocate
//@ run: -DDROP=relaxed -DUSE=store --model power
//@ verdict: violations
//@ models: power breaks
//@ use-after-free: use free allocate
//@ run: -DDROP=relaxed -DUSE=store --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ use-after-free: use free allocate, drop free allocate
//@ run: -DDROP=relaxed -DUSE=load --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ use-after-free: use free allocate
//@ run: -DDROP=relaxed -DUSE=load --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ use-after-free: use free allocate
//@ run: -DDROP=relaxed -DUSE=load --model power
//@ verdict: violations
//@ models: power breaks
//@ use-after-free: use free allocate
//@ run: -DDROP=relaxed -DUSE=load --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ use-after-free: use free allocate, drop free allocate
//@ run: -DDROP=release -DUSE=store --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: -DDROP=release -DUSE=store --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DDROP=release -DUSE=store --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DDROP=release -DUSE=store --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DDROP=release -DUSE=load --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ use-after-free: use free allocate, drop free allocate
//@ run: -DDROP=acq_rel -DUSE=store --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DDROP=acq_rel -DUSE=store --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DDROP=acq_rel -DUSE=store --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DDROP=acq_rel -DUSE=store --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DDROP=acq_rel -DUSE=load --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DDROP=acq_rel -DUSE=load --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DDROP=acq_rel -DUSE=load --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DDROP=acq_rel -DUSE=load --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DDROP=release -DUSE=store -DFENCED --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DDROP=release -DUSE=store -DFENCED --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DDROP=release -DUSE=store -DFENCED --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DDROP=release -DUSE=store -DFENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ORDER_OF(name) memory_order_##name
#define ORDER(name) ORDER_OF(name)
#define USE_OF(name) use_by_##name
#define USE_BY(name) USE_OF(name)

struct object {
    atomic_int references;
    int value;
};

static inline void use_by_store(struct object *object) { object->value = 2; }

static inline void use_by_load(struct object *object) { (void)*(volatile int *)&object->value; }

static void drop(struct object *object) {
    if (atomic_fetch_sub_explicit(&object->references, 1, ORDER(DROP)) != 1) // @drop
        return;
#ifdef FENCED
    atomic_thread_fence(memory_order_acquire);
#endif
    free(object); // @free
}

static void *user(void *shared) {
    USE_BY(USE)(shared); // @use
    drop(shared);
    return 0;
}

static void *holder(void *shared) {
    drop(shared);
    return 0;
}

int main(void) {
    pthread_t a, b;
    struct object *object = malloc(sizeof *object); // @allocate
    atomic_init(&object->references, 2);
    object->value = 1;
    pthread_create(&a, 0, user, object);
    pthread_create(&b, 0, holder, object);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
