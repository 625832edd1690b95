//@ why: Dekker's algorithm with four fences. Each run that lacks one shows the cycle that only this
//@      fence breaks; fences 2 and 3 matter only where a thread can come back for a second round.
//@ run: -DFENCED --preemptions 3
//@ verdict: clean
//@ run: -DFENCED -DROUNDS=2 --preemptions 3
//@ verdict: clean
//@ run: --preemptions 1
//@ why: Both flags may wait in the buffers while both threads look: store buffering. PSO can also
//@      delay what the critical section wrote, and the turn, past the flag that goes down.
//@ verdict: violations
//@ tso: raise -> look
//@ pso: raise -> look, write -> read, hand-over -> hand-over
//@ run: -DFENCED -DWITHOUT=1 --preemptions 1
//@ why: Store buffering between the two flags.
//@ verdict: violations
//@ tso: raise -> look
//@ pso: raise -> look
//@ run: -DFENCED -DWITHOUT=2 -DROUNDS=2 --preemptions 1
//@ why: The lowered flag waits while this thread looks at the turn: the other one, which hands over
//@      the turn, comes back and still sees the flag raised.
//@ verdict: violations
//@ tso: give-way -> look
//@ pso: give-way -> look
//@ run: -DFENCED -DWITHOUT=3 -DROUNDS=2 --preemptions 2
//@ why: As without fence 1, when a thread that gave way looks again.
//@ verdict: violations
//@ tso: raise-again -> look
//@ pso: raise-again -> look
//@ run: -DFENCED -DWITHOUT=4 --preemptions 1
//@ why: Under PSO the flag may be down before the critical section's write and the turn are there.
//@ verdict: violations
//@ pso: write -> read, hand-over -> hand-over
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

// The fences that are there, by number: all with FENCED, but that of WITHOUT; or those of the bits
// of FENCES.
#ifndef WITHOUT
#define WITHOUT 0
#endif
#ifndef FENCES
#ifdef FENCED
#define FENCES ~(1U << WITHOUT)
#else
#define FENCES 0U
#endif
#endif
#define FENCE(number, order) ((FENCES >> (number) & 1) ? atomic_thread_fence(order) : (void)0)
#ifndef ROUNDS
#define ROUNDS 1
#endif

volatile int flag[2], turn;
int entered;

static void lock(int me) {
    int other = 1 - me;
    flag[me] = 1; // @raise
    FENCE(1, memory_order_seq_cst);
    while (flag[other]) { // @look
        if (turn == me)
            continue;
        flag[me] = 0; // @give-way
        FENCE(2, memory_order_seq_cst);
        while (turn != me)
            ;
        flag[me] = 1; // @raise-again
        FENCE(3, memory_order_seq_cst);
    }
}

static void unlock(int me) {
    turn = 1 - me; // @hand-over
    FENCE(4, memory_order_release);
    flag[me] = 0;
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
