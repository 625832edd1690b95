//@ why: Lamport's fast lock (ACM TOCS 1987) for two threads: each announces itself in b[i] and x
//@      and then looks at y, sets y and then looks at x again. If the looks go ahead of the stores
//@      both get in, and one increment is lost. Sequentially consistent accesses keep them apart,
//@      by Lamport's proof.
//@ run: --model power --stop-at-first
//@ verdict: violations
//@ assertion: both
//@ run: --model tso --stop-at-first
//@ verdict: violations
//@ assertion: both
//@ run: -DREPAIRED --model tso
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

static atomic_int x, y, b[3];
static int entered;

// Threads are 1 and 2.
static void lock(int me) {
    for (;;) {
        STORE(&b[me], 1);
        STORE(&x, me);
        if (LOAD(&y) != 0) {
            STORE(&b[me], 0);
            while (LOAD(&y) != 0) {
            }
            continue;
        }
        STORE(&y, me);
        if (LOAD(&x) == me)
            return;
        STORE(&b[me], 0);
        while (LOAD(&b[3 - me])) {
        }
        if (LOAD(&y) == me)
            return;
        while (LOAD(&y) != 0) {
        }
    }
}

static void *body(void *argument) {
    int me = argument ? 1 : 2;
    lock(me);
    entered++;
    STORE(&y, 0);
    STORE(&b[me], 0);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, body, &entered);
    pthread_create(&other, 0, body, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(entered == 2); // @both
}
