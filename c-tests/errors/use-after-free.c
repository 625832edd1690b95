//@ why: The reader takes the block from the shared pointer and loads from it, with nothing that keeps
//@      the other thread from freeing it in between; no order of the two threads as a whole shows it.
//@ run: --preemptions 0
//@ verdict: clean
//@ run: --preemptions 1
//@ verdict: violations
//@ use-after-free: load free allocation
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

_Atomic(int *) shared;

static void *reader(void *unused) {
    (void)unused;
    int *block = shared;
    return block ? (void *)(intptr_t)*block : NULL; // @load
}

static void *owner(void *unused) {
    int *block = shared;
    shared = NULL;
    free(block); // @free
    return unused;
}

int main(void) {
    pthread_t threads[2];
    int *block = malloc(sizeof *block); // @allocation
    *block = 1;
    shared = block;
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, owner, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
