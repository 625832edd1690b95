//@ why: A struct of three words is passed by value, in memory of the callee's own. The callee
//@      tells another thread where that is (KNOWN), which then reads what the caller put there: 7.
//@      On POWER a store of what was loaded stays behind the load that it depends on, also where
//@      the value goes through such a struct, known to others or not (DEPENDS): with a dependency
//@      in each thread, load buffering has no execution in which both read 1. Where one thread
//@      stores a constant instead (LOOSE), it has one. A copy that comes from a call before has no
//@      label of a later one (TWICE).
//@ verdict: clean
//@ run: -DKNOWN --model tso
//@ run: -DKNOWN --model pso
//@ run: -DKNOWN --model power
//@ run: -DKNOWN --explorer rsmc
//@ run: -DKNOWN --preemptions none
//@ run: -DDEPENDS --model power
//@ run: -DDEPENDS -DTOLD --model power
//@ run: -DLOOSE --model power
//@ verdict: violations
//@ assertion: both
//@ run: -DTWICE --model power
//@ verdict: violations
//@ assertion: both
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct three {
    long a, b, c;
};

#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static atomic_long x, y;
static long first_read, second_read;

#ifdef KNOWN
static struct three *_Atomic known;
static atomic_int done;

static long tell(struct three copy) {
    atomic_store(&known, &copy);
    while (!atomic_load(&done))
        ;
    return copy.a + copy.c;
}

static void *first(void *unused) {
    struct three own = {3, 7, 5};
    assert(tell(own) == 8);
    return unused;
}

static void *second(void *unused) {
    struct three *copy = atomic_load(&known);
    if (copy)
        assert(copy->b == 7);
    atomic_store(&done, 1);
    return unused;
}
#else
#ifdef TOLD
static struct three *_Atomic told;
#endif

static void pass_on(struct three copy) {
#ifdef TOLD
    STORE(&told, &copy);
#endif
    STORE(&y, (copy.b ^ copy.b) + 1);
}

static void *first(void *unused) {
    long read = LOAD(&x);
    struct three own = {1, 2, 3};
#ifndef LOOSE
    own.b = read;
#endif
#ifdef TWICE
    own.b = 0;
#endif
    pass_on(own);
    first_read = read;
    return unused;
}

static void *second(void *unused) {
    long read = LOAD(&y);
    STORE(&x, (read ^ read) + 1);
    second_read = read;
    return unused;
}
#endif

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(!(first_read == 1 && second_read == 1)); // @both
    return 0;
}
