//@ why: Two loads with two stores each to read from make four graphs. In the one in
//@      which both read 0, each load comes before the other thread's store, and so before
//@      its own: no model without store buffers allows it. A full fence between store and
//@      load forbids it everywhere.
//@ run: --model tso
//@ verdict: violations
//@ executions: 4
//@ assertion: both-zero
//@ run: --model pso
//@ verdict: violations
//@ executions: 4
//@ assertion: both-zero
//@ run: --model power
//@ verdict: violations
//@ executions: 4
//@ assertion: both-zero
//@ run: --model sc --explorer rsmc
//@ verdict: clean
//@ executions: 3
//@ run: -DFENCED --model tso
//@ verdict: clean
//@ executions: 3
//@ run: -DFENCED --model pso
//@ verdict: clean
//@ executions: 3
//@ run: -DFENCED --model power
//@ verdict: clean
//@ executions: 3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE
#endif

static atomic_int x, y;
static int r, s;

static void *left(void *unused) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    FENCE;
    r = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    FENCE;
    s = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(r || s); // @both-zero
}
