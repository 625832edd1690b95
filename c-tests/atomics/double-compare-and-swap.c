//@ why: Two words change together or not at all: who sees the second one changed sees the first one
//@      changed, read later; and of two attempts over the same values one fails. Under PSO the
//@      operation, which is relaxed, drains its own two words and nothing else: an older store to
//@      one of them is there before it, one to another place may come later.
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DMESSAGE --preemptions none
//@ verdict: violations
//@ pso: fill -> use
//@ run: -DFREED --monitor none --preemptions none
//@ why: The second word is in a block that has been freed; the first one is not changed, either.
//@ verdict: violations
//@ use-after-free: freed free allocation
#include <assert.h>
#include <fencehound.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

volatile unsigned long x, y;
volatile int data;

static int both(void *other, unsigned long old, unsigned long new) {
    return fh_double_compare_and_swap((void *)&x, other, old, old, new, new); // @freed
}

static void *writer(void *unused) {
#ifdef MESSAGE
    data = 1; // @fill
#else
    x = 0;
#endif
    (void)!both((void *)&y, 0, 1);
    return unused;
}

static void *reader(void *unused) {
    unsigned long second = y, first = x;
    assert(!second || first);
#ifdef MESSAGE
    if (first)
        assert(data == 1); // @use
#endif
    return unused;
}

int main(void) {
    assert(!both((void *)&y, 1, 2) && x == 0 && y == 0);
#ifdef FREED
    unsigned long *block = calloc(1, sizeof *block); // @allocation
    free(block);                                     // @free
    both(block, 0, 1);
#endif
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x == 1 && y == 1);
    assert(!both((void *)&y, 0, 2) && both((void *)&y, 1, 3) && x == 3 && y == 3);
    return 0;
}
