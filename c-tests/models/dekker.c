//@ why: Dekker's lock: each thread raises its flag and looks at the other's, and who has not the
//@      turn gives way. With relaxed accesses the looks go ahead of the flags, so both get in and
//@      one increment is lost; on POWER and PSO so does what the critical section stores. With
//@      sequentially consistent accesses it is the textbook's proof.
//@ run: --model power
//@ verdict: violations
//@ assertion: both
//@ run: --model tso
//@ verdict: violations
//@ assertion: both
//@ run: -DREPAIRED --model power
//@ verdict: clean
//@ run: -DREPAIRED --model pso
//@ verdict: clean
//@ run: -DREPAIRED --model tso
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
static int entered;

static void *body(void *argument) {
    int me = argument != 0, other = 1 - me;
    STORE(&flag[me], 1);
    while (LOAD(&flag[other])) {
        if (LOAD(&turn) == other) {
            STORE(&flag[me], 0);
            while (LOAD(&turn) == other) {
            }
            STORE(&flag[me], 1);
        }
    }
    entered++;
    STORE(&turn, other);
    STORE(&flag[me], 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, body, 0);
    pthread_create(&b, 0, body, &entered);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(entered == 2); // @both
}
