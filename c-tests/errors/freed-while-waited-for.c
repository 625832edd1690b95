//@ why: A thread that spins on a flag in a block reads it again and again. If another one frees the
//@      block meanwhile, the next round reads freed memory; that the flag never changes again does
//@      not make the loop an endless one. Where the block is freed after the flag is seen, all is
//@      well.
//@ run: --monitor none --preemptions none
//@ verdict: violations
//@ use-after-free: spin free allocation
//@ run: -DSEEN --monitor none --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(int) *flag;

static void *waiter(void *unused) {
    while (*flag == 0) // @spin
        ;
    return unused;
}

int main(void) {
    pthread_t thread;
    flag = malloc(sizeof *flag); // @allocation
    *flag = 0;
    pthread_create(&thread, NULL, waiter, NULL);
#ifdef SEEN
    *flag = 1;
    pthread_join(thread, NULL);
#endif
    free((void *)flag); // @free
#ifndef SEEN
    pthread_join(thread, NULL);
#endif
    return 0;
}
