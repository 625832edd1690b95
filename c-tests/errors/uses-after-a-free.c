//@ why: Three uses of a block that one of two threads frees: it may be the user's next step, or the
//@      one who frees it comes to its own first. Whose step fails is known even where the last
//@      that happened before was one of the other thread: each finding is replayed. Classes: the
//@      free comes behind both uses; or before one of them, which fails, before or after the own.
//@ verdict: violations
//@ use-after-free: first free allocation, second free allocation, own free allocation
//@ run: --monitor none
//@ run: --monitor none --preemptions none
//@ run: --monitor none --explorer dpor
//@ executions: 5
#include <pthread.h>
#include <stdlib.h>

int *block;

static void *uses(void *unused) {
    *block = 1; // @first
    *block = 2; // @second
    return unused;
}

static void *frees(void *unused) {
    free(block); // @free
    *block = 3;  // @own
    return unused;
}

int main(void) {
    pthread_t threads[2];
    block = malloc(sizeof *block); // @allocation
    pthread_create(&threads[0], NULL, uses, NULL);
    pthread_create(&threads[1], NULL, frees, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
