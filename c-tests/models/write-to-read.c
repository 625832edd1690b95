//@ why: A write is seen by a second thread, which writes, which a third thread sees. On
//@      POWER the third need not see the first write if both have dependencies only; with a
//@      lightweight fence in the second it must (Herding Cats, WRC+data+addr allowed,
//@      WRC+lwsync+addr forbidden). Three loads with two stores each to read from make eight
//@      graphs; the forbidden one leaves seven.
//@ run: --model power
//@ verdict: violations
//@ executions: 8
//@ assertion: unseen
//@ run: -DFENCED --model power
//@ verdict: clean
//@ executions: 7
//@ run: --model pso
//@ verdict: clean
//@ executions: 7
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static atomic_int x, y;
static int a, b, c;

static void *first(void *unused) {
    STORE(&x, 1);
    return unused;
}

static void *second(void *unused) {
    int seen = LOAD(&x);
#ifdef FENCED
    atomic_thread_fence(memory_order_acq_rel);
    STORE(&y, 1);
#else
    STORE(&y, 1 + (seen ^ seen));
#endif
    a = seen;
    return unused;
}

static void *third(void *unused) {
    int seen = LOAD(&y);
    int then = LOAD(&x + (seen ^ seen));
    b = seen;
    c = then;
    return unused;
}

int main(void) {
    void *(*const run[])(void *) = {first, second, third};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, run[i], 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(!(a == 1 && b == 1 && c == 0)); // @unseen
}
