//@ why: Peterson's algorithm, each thread entering once, with three fences. Each run that lacks one
//@      shows the cycle that only this fence breaks. Without any, the cycles that a first report
//@      hides on the same execution are missing from the set.
//@ run: -DFENCED --preemptions 3
//@ verdict: clean
//@ run: --preemptions 1
//@ why: TSO delays both stores past the look at the other's flag: seen when the other's give-way
//@      goes ahead of one's own. PSO can also delay the flag alone, and the critical section's
//@      write.
//@ verdict: violations
//@ tso: give-way -> give-way
//@ pso: give-way -> give-way, raise -> look, write -> read
//@ run: -DFENCED -DWITHOUT=1 --preemptions 2
//@ why: Under PSO the flag may reach memory after the turn, when the other has looked already.
//@ verdict: violations
//@ pso: raise -> look
//@ run: -DFENCED -DWITHOUT=2 --preemptions 2
//@ why: The turn stays in the buffer while this thread looks, and the other gives way before that.
//@ verdict: violations
//@ tso: give-way -> give-way
//@ pso: give-way -> give-way
//@ run: -DFENCED -DWITHOUT=3 --preemptions 2
//@ why: Under PSO the flag may be down before what the critical section wrote is there.
//@ verdict: violations
//@ pso: write -> read
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

volatile int flag[2], turn;
int entered;

static void lock(int me) {
    int other = 1 - me;
    flag[me] = 1; // @raise
    FENCE(1, memory_order_release);
    turn = other; // @give-way
    FENCE(2, memory_order_seq_cst);
    for (;;) {
        if (!flag[other]) // @look
            break;
        if (turn != other)
            break;
    }
}

static void unlock(int me) {
    FENCE(3, memory_order_release);
    flag[me] = 0;
}

static void *body(void *me) {
    lock((int)(intptr_t)me);
    int before = entered; // @read
    entered = before + 1; // @write
    unlock((int)(intptr_t)me);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(entered == 2);
    return 0;
}
