//@ why: Each of two threads loads what the other one stores afterwards: two loads with two
//@      stores each to read from make four graphs, in one of which both read 1. POWER allows it
//@      unless a data, control or address dependency, or any fence, keeps each load before its
//@      store (Herding Cats, LB allowed, LB+datas, +ctrls, +addrs, +lwsyncs forbidden). TSO and
//@      PSO keep loads before what follows them.
//@ run: -DKIND=0 --model power
//@ verdict: violations
//@ executions: 4
//@ assertion: both
//@ run: -DKIND=1 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DKIND=2 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DKIND=3 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DKIND=4 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DKIND=5 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DKIND=0 --model pso
//@ verdict: clean
//@ executions: 3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#if KIND == 0
#define THEN(seen, p) STORE(p, 1)
#elif KIND == 1 // data
#define THEN(seen, p) STORE(p, 1 + (seen ^ seen))
#elif KIND == 2 // control
#define THEN(seen, p)                                                                              \
    if (seen >= 0)                                                                                 \
    STORE(p, 1)
#elif KIND == 3 // address
#define THEN(seen, p) STORE(p + (seen ^ seen), 1)
#elif KIND == 4 // lightweight fence
#define THEN(seen, p) (atomic_thread_fence(memory_order_acq_rel), STORE(p, 1))
#else // full fence
#define THEN(seen, p) (atomic_thread_fence(memory_order_seq_cst), STORE(p, 1))
#endif

static atomic_int x, y;
static int r, s;

static void *left(void *unused) {
    int seen = LOAD(&x);
    THEN(seen, &y);
    r = seen;
    return unused;
}

static void *right(void *unused) {
    int seen = LOAD(&y);
    THEN(seen, &x);
    s = seen;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(r && s)); // @both
}
