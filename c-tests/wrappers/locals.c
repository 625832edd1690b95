//@ why: A local variable ends with its function, also with one that is always inlined: who
//@      still has its address uses what is gone. The thread reads it before or after that, so some
//@      execution reads too late. If the function waits for the thread, none does.
//@ run: -DEARLY --preemptions none
//@ verdict: violations
//@ use-after-free: read own
//@ run: --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>

_Atomic(int *) lent;

static void *borrower(void *unused) {
    int *borrowed = atomic_load(&lent);
    if (borrowed && *(volatile int *)borrowed != 1) // @read
        return unused;
    return 0;
}

static inline __attribute__((always_inline)) void lend(pthread_t *thread) { // @own
    int own = 1;
    atomic_store(&lent, &own);
    pthread_create(thread, NULL, borrower, NULL);
#ifndef EARLY
    pthread_join(*thread, NULL);
#endif
}

int main(void) {
    pthread_t thread;
    lend(&thread);
#ifdef EARLY
    pthread_join(thread, NULL);
#endif
    return 0;
}
