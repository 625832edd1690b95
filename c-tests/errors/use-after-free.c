//@ why: The reader looks at the block only after it has seen the pointer, but the owner may free it
//@      between the two: so the load of the block comes after the free, whatever the memory model.
//@      One preemption suffices. A store, a compare-and-swap and a copy are no better than a load.
//@      Where the owner waits for the reader's end, the free comes last.
//@ run: -DUSE=LOAD --monitor none --preemptions 0
//@ verdict: clean
//@ run: -DUSE=LOAD --monitor none
//@ verdict: violations
//@ use-after-free: load free allocation
//@ run: -DUSE=STORE --monitor none
//@ verdict: violations
//@ use-after-free: store free allocation
//@ run: -DUSE=SWAP --monitor none
//@ verdict: violations
//@ use-after-free: swap free allocation
//@ run: -DUSE=COPY --monitor none
//@ verdict: violations
//@ use-after-free: copy free allocation
//@ run: -DUSE=LOAD -DJOIN_FIRST --monitor none --preemptions none
//@ verdict: clean
//@ run: -DUSE=COPY -DJOIN_FIRST --monitor none --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD, STORE, SWAP, COPY };

_Atomic(_Atomic(int) *) published;

static void *reader(void *unused) {
    _Atomic(int) *block = published;
    if (!block)
        return unused;
    int expected = 5;
    char copy[8];
    if (USE == LOAD)
        return *block == 5 ? unused : NULL; // @load
    if (USE == STORE)
        *block = 6; // @store
    if (USE == SWAP)
        atomic_compare_exchange_strong(block, &expected, 7); // @swap
    if (USE == COPY)
        memcpy(copy, (void *)block, 8); // @copy
    return unused;
}

int main(void) {
    pthread_t thread;
    _Atomic(int) *block = malloc(8); // @allocation
    *block = 5;
    published = block;
    pthread_create(&thread, NULL, reader, NULL);
#ifdef JOIN_FIRST
    pthread_join(thread, NULL);
#endif
    published = NULL;
    free((void *)block); // @free
#ifndef JOIN_FIRST
    pthread_join(thread, NULL);
#endif
    return 0;
}
