//@ why: The destructor of the key is `free` itself, which nothing in the source calls: it frees the
//@      block as the thread ends, and is said to stand where the key was created. Behind the join,
//@      main frees the block once more, in each execution.
//@ run: --preemptions 0
//@ verdict: violations
//@ double-free: again create allocation
//@ run: -DONCE --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static void *block;

static void *body(void *unused) {
    block = malloc(16); // @allocation
    pthread_setspecific(key, block);
    pthread_getspecific(key);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, free); // @create
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
#ifndef ONCE
    free(block); // @again
#endif
    return 0;
}
