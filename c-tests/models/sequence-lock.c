//@ why: A reader of a sequence lock accepts what it read between two equal even
//@      numbers. Without fences POWER and PSO let the writer's stores, and POWER the
//@      reader's loads, pass the numbers. With a release fence behind the odd number, a
//@      release store of the even one, an acquire load of the first number and an acquire
//@      fence before the second they stay between.
//@ run: --model power
//@ verdict: violations
//@ assertion: torn
//@ run: --model pso
//@ verdict: violations
//@ assertion: torn
//@ run: --model tso
//@ verdict: clean
//@ run: -DREPAIRED --model power
//@ verdict: clean
//@ run: -DREPAIRED --model pso
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef REPAIRED
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define FENCE(order) atomic_thread_fence(order)
#else
#define ACQUIRE memory_order_relaxed
#define RELEASE memory_order_relaxed
#define FENCE(order)
#endif
#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static atomic_uint number;
static atomic_int x, y;

static void *writer(void *unused) {
    STORE(&number, 1);
    FENCE(memory_order_release);
    STORE(&x, 1);
    STORE(&y, 1);
    atomic_store_explicit(&number, 2, RELEASE);
    return unused;
}

static void *reader(void *unused) {
    unsigned before = atomic_load_explicit(&number, ACQUIRE);
    int a = LOAD(&x);
    int b = LOAD(&y);
    FENCE(memory_order_acquire);
    unsigned after = LOAD(&number);
    if (before == after && before % 2 == 0)
        assert(a == b); // @torn
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
