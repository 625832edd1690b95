//@ why: Peterson's lock needs each thread's flag to be seen before the other's is read.
//@      With relaxed accesses every model but SC lets both threads in; sequentially
//@      consistent accesses order them everywhere.
//@ run: --model power
//@ verdict: violations
//@ assertion: alone-left, alone-right
//@ run: --model tso
//@ verdict: violations
//@ assertion: alone-left, alone-right
//@ run: --model sc --explorer rsmc
//@ verdict: clean
//@ run: -DREPAIRED --model tso
//@ verdict: clean
//@ run: -DREPAIRED --model pso
//@ verdict: clean
//@ run: -DREPAIRED --model power
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef REPAIRED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif
#define LOAD(p) atomic_load_explicit(p, ORDER)
#define STORE(p, v) atomic_store_explicit(p, v, ORDER)

static atomic_int flag[2], turn;
static int inside;

static void *left(void *unused) {
    STORE(&flag[0], 1);
    STORE(&turn, 1);
    while (LOAD(&flag[1]) && LOAD(&turn) == 1) {
    }
    inside = 1;
    assert(inside == 1); // @alone-left
    STORE(&flag[0], 0);
    return unused;
}

static void *right(void *unused) {
    STORE(&flag[1], 1);
    STORE(&turn, 0);
    while (LOAD(&flag[0]) && LOAD(&turn) == 0) {
    }
    inside = 2;
    assert(inside == 2); // @alone-right
    STORE(&flag[1], 0);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
