//@ why: Two threads add each other's number to their own, ROUNDS times each (SV-COMP). The largest
//@      value an interleaving reaches is the Fibonacci number 2 ROUNDS + 2 (1, 1, 2, 3, 5, 8, 13
//@      ... from 1): 8 for 2 rounds, when they take turns. So 8 is never exceeded, but reached
//@      (OFF_BY_ONE asserts less). Each round writes what the other one reads and reads what the
//@      other one writes: the store of a round may wait while the next round looks. Fences keep it.
//@ run: -DFENCED --preemptions none
//@ verdict: clean
//@ run: -DFENCED -DOFF_BY_ONE --preemptions none
//@ verdict: violations
//@ assertion: bound
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

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

enum { ROUNDS = 2 };

#ifdef OFF_BY_ONE
enum { LARGEST = 7 };
#else
enum { LARGEST = 8 };
#endif

volatile int i = 1, j = 1;

static void *add_to_i(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        int sum = i + j;
        i = sum;
        FENCE(1, memory_order_seq_cst);
    }
    return unused;
}

static void *add_to_j(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        int sum = j + i;
        j = sum;
        FENCE(2, memory_order_seq_cst);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add_to_i, NULL);
    pthread_create(&threads[1], NULL, add_to_j, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(i <= LARGEST && j <= LARGEST); // @bound
    return 0;
}
