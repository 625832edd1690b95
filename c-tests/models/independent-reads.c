//@ why: Two threads see two independent stores in opposite orders. POWER allows it
//@      where the reads are ordered by addresses, and by lightweight fences, and forbids it
//@      with full fences (Herding Cats, IRIW+addrs, +lwsyncs, +syncs). TSO has one order of
//@      all stores, and loads in order.
//@ run: -DORDER=0 --model power
//@ verdict: violations
//@ assertion: split
//@ run: -DORDER=1 --model power
//@ verdict: violations
//@ assertion: split
//@ run: -DORDER=2 --model power
//@ verdict: clean
//@ executions: 15
//@ run: -DORDER=0 --model tso
//@ verdict: clean
//@ executions: 15
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#if ORDER == 0
#define THEN(first, p) LOAD(p + (first ^ first))
#elif ORDER == 1
#define THEN(first, p) (atomic_thread_fence(memory_order_acq_rel), LOAD(p))
#else
#define THEN(first, p) (atomic_thread_fence(memory_order_seq_cst), LOAD(p))
#endif

static atomic_int x, y;
static int a, b, c, d;

static void *write_x(void *unused) {
    STORE(&x, 1);
    return unused;
}

static void *write_y(void *unused) {
    STORE(&y, 1);
    return unused;
}

static void *read_xy(void *unused) {
    int first = LOAD(&x);
    int second = THEN(first, &y);
    a = first;
    b = second;
    return unused;
}

static void *read_yx(void *unused) {
    int first = LOAD(&y);
    int second = THEN(first, &x);
    c = first;
    d = second;
    return unused;
}

int main(void) {
    void *(*const run[])(void *) = {write_x, write_y, read_xy, read_yx};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, run[i], 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(!(a == 1 && b == 0 && c == 1 && d == 0)); // @split
}
