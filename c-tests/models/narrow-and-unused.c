//@ why: Store buffering whose stores are sequentially consistent additions to a byte. RISC-V has
//@      no instruction that adds to a byte: compilers make a loop of lr and sc, whose sc only
//@      releases, and the load behind it may come first, whether the result of the addition is
//@      used or not. An addition to a word is one amoadd.aqrl, which comes before that load.
//@      Single additions of ARM and the pairs of loads and stores there differ as well: neither
//@      is counted on. A fence, or sequentially consistent loads, would order the two.
//@ run: -DNARROW --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: both
//@ run: -DNARROW -DUSED --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: both
//@ run: --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DUSED --model riscv
//@ verdict: clean
//@ models: riscv harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef NARROW
static _Atomic unsigned char x, y;
#else
static atomic_uint x, y;
#endif
static int seen, found, added;

static void *left(void *unused) {
#ifdef USED
    int before = atomic_fetch_add(&x, 1);
    seen = atomic_load_explicit(&y, memory_order_relaxed);
    added += before;
#else
    atomic_fetch_add(&x, 1);
    seen = atomic_load_explicit(&y, memory_order_relaxed);
#endif
    return unused;
}

static void *right(void *unused) {
    atomic_fetch_add(&y, 1);
    found = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen || found); // @both
    return added;
}
