//@ why: Orders that are enough for a sequence lock without fences (Boehm, "Can seqlocks get
//@      along with programming language memory models?", MSPC 2012): the data is stored with
//@      release, behind the odd count, and loaded with acquire, before the second look at it.
//@ verdict: clean
//@ run: --model c11
//@ models: c11 harmless
//@ run: --model tso
//@ models: tso harmless
//@ run: --model armv8
//@ models: armv8 harmless
//@ run: --model riscv
//@ models: riscv harmless
//@ run: --model power
//@ models: power harmless
//@ run: -DWEAKEST --model c11
//@ models: c11 harmless
//@ run: -DWEAKEST --model tso
//@ models: tso harmless
//@ run: -DWEAKEST --model armv8
//@ models: armv8 harmless
//@ run: -DWEAKEST --model riscv
//@ models: riscv harmless
//@ run: -DWEAKEST --model power
//@ models: power harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAKEST
#define O(order) memory_order_##order
#else
#define O(order) memory_order_seq_cst
#endif

static atomic_int count, one, other;

static void *writer(void *unused) {
    for (int i = 1; i <= 1; i++) {
        atomic_store_explicit(&count, 2 * i - 1, O(relaxed));
        atomic_thread_fence(O(relaxed));
        atomic_store_explicit(&one, i, O(release));
        atomic_store_explicit(&other, i, O(release));
        atomic_store_explicit(&count, 2 * i, O(release));
    }
    return unused;
}

static void *reader(void *unused) {
    int before = atomic_load_explicit(&count, O(acquire));
    int first = atomic_load_explicit(&one, O(acquire));
    int second = atomic_load_explicit(&other, O(acquire));
    atomic_thread_fence(O(relaxed));
    int after = atomic_load_explicit(&count, O(relaxed));
    if (before == after && before % 2 == 0)
        assert(first == second && first == before / 2);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
