//@ why: Lamport's bakery for two threads, each entering once, with four fences. Each run that lacks
//@      one shows the cycle that only this fence breaks; the run without any shows them all.
//@ run: -DFENCED --preemptions 3
//@ verdict: clean
//@ run: --preemptions 1
//@ verdict: violations
//@ tso: choose -> wait-choice, chosen -> wait-choice, take -> look
//@ pso: choose -> wait-choice, chosen -> wait-choice, take -> look, take -> wait-turn, write ->
//@      read
//@ run: -DFENCED -DWITHOUT=1 --preemptions 2
//@ why: That this thread chooses may reach memory after it has looked at the other's number.
//@ verdict: violations
//@ tso: choose -> wait-choice
//@ pso: choose -> wait-choice
//@ run: -DFENCED -DWITHOUT=2 --preemptions 2
//@ why: Under PSO the number may reach memory after the end of the choice.
//@ verdict: violations
//@ pso: take -> wait-turn
//@ run: -DFENCED -DWITHOUT=3 --preemptions 2
//@ why: Number and end of the choice may both wait while this thread looks at the other's choice.
//@ verdict: violations
//@ tso: chosen -> wait-choice, take -> look
//@ pso: chosen -> wait-choice, take -> look
//@ run: -DFENCED -DWITHOUT=4 --preemptions 2
//@ why: Under PSO the number may be given back before what the critical section wrote is there.
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

#ifndef ROUNDS
#define ROUNDS 1
#endif

volatile int choosing[2], number[2];
int entered;

static void lock(int me) {
    int other = 1 - me;
    choosing[me] = 1; // @choose
    FENCE(1, memory_order_seq_cst);
    int mine = number[other] + 1; // @look
    number[me] = mine;            // @take
    FENCE(2, memory_order_release);
    choosing[me] = 0; // @chosen
    FENCE(3, memory_order_seq_cst);
    while (choosing[other]) // @wait-choice
        ;
    for (;;) {
        int theirs = number[other]; // @wait-turn
        if (theirs == 0 || mine < theirs || (mine == theirs && me < other))
            break;
    }
}

static void unlock(int me) {
    FENCE(4, memory_order_release);
    number[me] = 0;
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
