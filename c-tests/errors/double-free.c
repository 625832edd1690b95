//@ why: Who sees the pointer frees the block and then forgets the pointer, so that two threads can
//@      both see it. An exchange takes it from memory in one step.
//@ run: --preemptions 0
//@ verdict: clean
//@ run: --preemptions 1
//@ verdict: violations
//@ double-free: free allocation
//@ run: -DEXCHANGE --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(void *) block;

static void *dispose(void *unused) {
#ifdef EXCHANGE
    free(atomic_exchange(&block, NULL));
#else
    if (block) {
        free(block); // @free
        block = NULL;
    }
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    block = malloc(16); // @allocation
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, dispose, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
