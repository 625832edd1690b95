//@ why: Two threads free a block: either comes first, and the other one fails. So there are
//@      two classes, each a double free with the roles of the two lines exchanged; also where
//@      another execution, a third one, has accessed the second half of the block alone.
//@ verdict: violations
//@ double-free: one other allocation, other one allocation
//@ run: --explorer dpor
//@ executions: 3
//@ run: --preemptions none
#include <fencehound.h>
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *free_first(void *unused) {
    free(block); // @one
    return unused;
}

static void *free_second(void *unused) {
    free(block); // @other
    return unused;
}

int main(void) {
    pthread_t first, second;
    block = malloc(2 * sizeof *block); // @allocation
    if (fh_choose(2) == 0) {
        block[1] = 1;
        return 0;
    }
    pthread_create(&first, NULL, free_first, NULL);
    pthread_create(&second, NULL, free_second, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
