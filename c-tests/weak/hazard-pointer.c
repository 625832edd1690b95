//@ why: A reader says which object it uses, and looks whether that is still there; who takes
//@      it away looks at what readers say afterwards. Each store must come before the load
//@      behind it (SB), and in McKenney's table ("Memory Ordering in Modern Microprocessors",
//@      Linux Journal 2005) every machine reorders these two, x86 and SPARC TSO among them: so
//@      the algorithm (Michael, "Hazard Pointers", TPDS 2004) takes a full fence on every
//@      machine, as Concurrency Kit has a store-load fence behind each hazard pointer that it
//@      sets (ck_hp_fifo.h). A fence that acquires and releases is no instruction on x86 and
//@      SPARC that orders a store before a load, nor is lwsync on POWER or fence.tso on
//@      RISC-V; ARM has only dmb ish for it, which is full.
//@ run: -DFENCE=acq_rel --model sc --explorer rsmc
//@ verdict: clean
//@ run: -DFENCE=relaxed --model tso
//@ verdict: violations
//@ models: tso breaks
//@ assertion: taken
//@ run: -DFENCE=relaxed --model pso
//@ verdict: violations
//@ models: pso breaks
//@ assertion: taken
//@ run: -DFENCE=relaxed --model power
//@ verdict: violations
//@ models: power breaks
//@ assertion: taken
//@ run: -DFENCE=relaxed --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ assertion: taken
//@ run: -DFENCE=relaxed --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: taken
//@ run: -DFENCE=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ assertion: taken
//@ run: -DFENCE=acq_rel --model tso
//@ verdict: violations
//@ models: tso breaks
//@ assertion: taken
//@ run: -DFENCE=acq_rel --model pso
//@ verdict: violations
//@ models: pso breaks
//@ assertion: taken
//@ run: -DFENCE=acq_rel --model power
//@ verdict: violations
//@ models: power breaks
//@ assertion: taken
//@ run: -DFENCE=acq_rel --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DFENCE=acq_rel --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: taken
//@ run: -DFENCE=acq_rel --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ assertion: taken
//@ run: -DFENCE=seq_cst --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DFENCE=seq_cst --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: -DFENCE=seq_cst --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DFENCE=seq_cst --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DFENCE=seq_cst --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DFENCE=seq_cst --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ORDER_OF(name) memory_order_##name
#define ORDER(name) ORDER_OF(name)

static atomic_int objects[2] = {1, 1};
static _Atomic(atomic_int *) head = &objects[0], hazard;

static void *reader(void *unused) {
    atomic_int *found = atomic_load_explicit(&head, memory_order_acquire);
    atomic_store_explicit(&hazard, found, memory_order_release);
    atomic_thread_fence(ORDER(FENCE));
    if (atomic_load_explicit(&head, memory_order_acquire) == found) {
        int living = atomic_load_explicit(found, memory_order_relaxed);
        assert(living); // @taken
    }
    atomic_store_explicit(&hazard, 0, memory_order_release);
    return unused;
}

static void *remover(void *unused) {
    atomic_store_explicit(&head, &objects[1], memory_order_release);
    atomic_thread_fence(ORDER(FENCE));
    if (atomic_load_explicit(&hazard, memory_order_acquire) != &objects[0])
        atomic_store_explicit(&objects[0], 0, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, remover, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
