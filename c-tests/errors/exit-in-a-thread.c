//@ why: A thread may end the program while main still waits for another thread that waits for ever:
//@      an end, and no deadlock. Where that other thread is created only after the end, nothing
//@      waits. Without the exit, the wait is a livelock.
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DWITHOUT_EXIT --preemptions none
//@ verdict: violations
//@ livelock: wait join
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

atomic_int never;

static void *wait(void *unused) {
    while (!never) // @wait
        ;
    return unused;
}

static void *end(void *unused) {
#ifndef WITHOUT_EXIT
    exit(0);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, wait, NULL);
    pthread_create(&threads[1], NULL, end, NULL);
    pthread_join(threads[0], NULL); // @join
    return 0;
}
