//@ why: The latch of PostgreSQL (its developers' list, 2011): each of two workers waits for its
//@      latch, resets it, does its work if the flag says so, and then sets flag and latch of the
//@      other one. TSO keeps flag and latch in order; the reset is followed by a load of the flag,
//@      but by then the other one has nothing to do until it is called. PSO may delay the flag past
//@      the latch. The reports without fences are in benches/PAPERS.md; here is what the fenced one
//@      must be.
//@ run: -DFENCED --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
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

enum { ROUNDS = 2 };

volatile bool latch[2] = {true, false}, flag[2] = {true, false};
int done;

static void *worker(void *argument) {
    int me = (int)(intptr_t)argument, other = 1 - me;
    for (int i = 0; i < ROUNDS; i++) {
        while (!latch[me])
            ;
        latch[me] = false;
        FENCE(1, memory_order_seq_cst);
        assert(flag[me]);
        flag[me] = false;
        done++;
        FENCE(2, memory_order_release);
        flag[other] = true;
        FENCE(3, memory_order_release);
        latch[other] = true;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(done == 2 * ROUNDS);
    return 0;
}
