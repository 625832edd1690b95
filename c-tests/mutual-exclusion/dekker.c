//@ why: TODO
//@ run: --preemptions 1
//@ verdict: violations
//@ run: -DFENCED --preemptions 3
//@ verdict: clean
//@ run: -DFENCED -DROUNDS=2 --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef FENCED
#define FULL_FENCE() atomic_thread_fence(memory_order_seq_cst)
#define STORE_FENCE() atomic_thread_fence(memory_order_release)
#else
#define FULL_FENCE() ((void)0)
#define STORE_FENCE() ((void)0)
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

volatile int flag[2], turn;
int entered;

static void lock(int me) {
    int other = 1 - me;
    flag[me] = 1; // @raise
    FULL_FENCE();
    while (flag[other]) {    // @look
        if (turn != me) {    // @whose
            flag[me] = 0;    // @give-way
            FULL_FENCE();
            while (turn != me) // @wait
                ;
            flag[me] = 1; // @raise-again
            FULL_FENCE();
        }
    }
}

static void unlock(int me) {
    STORE_FENCE();
    turn = 1 - me; // @hand-over
    STORE_FENCE();
    flag[me] = 0; // @lower
}

static void *body(void *me) {
    for (int round = 0; round < ROUNDS; round++) {
        lock((int)(intptr_t)me);
        int before = entered; // @read
        entered = before + 1; // @write
        unlock((int)(intptr_t)me);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(entered == 2 * ROUNDS);
    return 0;
}
