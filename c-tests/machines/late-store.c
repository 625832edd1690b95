//@ why: Who frees the block has seen that the thread is done with it. Under TSO its stores
//@      commit in order, so the one to the block has done so by then. Under PSO it may still
//@      wait in the buffer: it commits into memory that has been freed. A fence between the
//@      two stores forbids that.
//@ run: --model pso --explorer bounded
//@ verdict: violations
//@ use-after-free: store free malloc
//@ run: -DFENCED --model pso --explorer bounded
//@ verdict: clean
//@ run: --model tso --explorer bounded
//@ verdict: clean
//@ run: --model pso --explorer dpor
//@ verdict: violations
//@ use-after-free: store free malloc
//@ run: -DFENCED --model pso --explorer dpor
//@ verdict: clean
//@ run: --model tso --explorer dpor
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *block;
static int done;

static void *user(void *unused) {
    *block = 1; // @store
#ifdef FENCED
    atomic_thread_fence(memory_order_release);
#endif
    done = 1;
    return unused;
}

static void *owner(void *unused) {
    if (done)
        free(block); // @free
    return unused;
}

int main(void) {
    pthread_t threads[2];
    block = malloc(sizeof *block); // @malloc
    pthread_create(&threads[0], 0, user, 0);
    pthread_create(&threads[1], 0, owner, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
