//@ why: An atomic store of sixteen bytes that orders nothing waits as one. Store buffering and
//@      message passing: TSO lets a load overtake what its thread has stored, PSO lets stores
//@      overtake each other, and a full fence between the two forbids both. Neither happens in
//@      an interleaving.
//@ run: --model tso --explorer bounded
//@ verdict: violations
//@ assertion: both-stale
//@ run: -DFENCED --model tso --explorer bounded
//@ verdict: clean
//@ run: -DPASSING --model pso --explorer bounded
//@ verdict: violations
//@ assertion: stale
//@ run: -DPASSING -DFENCED --model pso --explorer bounded
//@ verdict: clean
//@ run: -DPASSING --model tso --explorer bounded
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE()
#endif

struct pair {
    long first, second;
};

static _Atomic struct pair pairs[2];

static void put(int which) {
    atomic_store_explicit(&pairs[which], ((struct pair){1, 1}), memory_order_relaxed);
}

static int get(int which) {
    struct pair pair = atomic_load_explicit(&pairs[which], memory_order_relaxed);
    return pair.first && pair.second;
}

#ifdef PASSING
static int flag;

static void left(void) {
    put(0);
    FENCE();
    flag = 1;
}

static void right(void) {
    if (flag)
        assert(get(0)); // @stale
}
#else
static int seen[2];

static void left(void) {
    put(0);
    FENCE();
    seen[0] = get(1);
}

static void right(void) {
    put(1);
    FENCE();
    seen[1] = get(0);
}
#endif

static void *body(void *run) {
    ((void (*)(void))run)();
    return 0;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, body, left);
    pthread_create(&threads[1], 0, body, right);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
#ifndef PASSING
    assert(seen[0] || seen[1]); // @both-stale
#endif
}
