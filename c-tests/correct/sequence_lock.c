//@ why: A writer makes a number odd, writes a pair, and makes the number even; a reader that sees
//@      the same even number before and after has a pair that belongs together. The data must be
//@      written between the two stores of the number, each of which PSO orders with the data by a
//@      release alone.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_BEGIN
//@ why: The pair may be seen before the odd number: two looks at 0 with a 1 between.
//@ verdict: violations
//@ models: pso breaks
//@ assertion: fails
//@ run: -DNO_END
//@ why: The even number may be seen before the pair: two looks at 2 with a 0 between.
//@ verdict: violations
//@ models: pso breaks
//@ assertion: fails
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_BEGIN
#define BEGIN()
#else
#define BEGIN() atomic_thread_fence(memory_order_release)
#endif
#ifdef NO_END
#define END ST
#else
#define END RELEASE
#endif
static atomic_int number, one, other;

static void *first(void *unused) {
    for (int value = 1; value <= 2; value++) {
        ST(number, 2 * value - 1);
        BEGIN();
        ST(one, value);
        ST(other, value);
        END(number, 2 * value);
    }
    return unused;
}

static void *second(void *unused) {
    int before = ACQUIRE(number);
    int left = LD(one), right = LD(other);
    atomic_thread_fence(memory_order_acquire);
    int after = LD(number);
    if (before == after && before % 2 == 0)
        assert(left == before / 2 && right == before / 2); // @fails
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
