//@ why: calloc writes the zeros of a block that was freed before, and these are stores like any
//@      others: under PSO the address of the block may commit first, and who reads through it
//@      sees what the block held before. TSO commits in order, a fence between the two empties
//@      the buffer, and no interleaving shows it. Execution graphs must say the same.
//@ run: --model pso --explorer bounded
//@ verdict: violations
//@ assertion: seen
//@ run: -DFENCED --model pso --explorer bounded
//@ verdict: clean
//@ run: --model tso --explorer bounded
//@ verdict: clean
//@ run: --explorer bounded --monitor none
//@ verdict: clean
//@ run: --model pso
//@ verdict: violations
//@ assertion: seen
//@ run: -DFENCED --model pso
//@ verdict: clean
//@ run: --model pso --explorer dpor
//@ verdict: violations
//@ assertion: seen
//@ run: -DFENCED --model pso --explorer dpor
//@ verdict: clean
//@ run: --model tso --explorer dpor
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic published;

static void *publish(void *argument) {
    int *block = calloc(1, sizeof *block);
#ifdef FENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    atomic_store_explicit(&published, block, memory_order_relaxed);
    return argument;
}

int main(void) {
    pthread_t publisher;
    pthread_create(&publisher, 0, publish, 0);
    int *block = atomic_load_explicit(&published, memory_order_acquire);
    if (block)
        assert(*block == 0); // @seen
    pthread_join(publisher, 0);
    free(atomic_load_explicit(&published, memory_order_relaxed));
}
