//@ why: A program may close all descriptors that it has, as daemons do, and may put others in their
//@      place: the check goes on. Each thread stores once: 2 orders of the 2 stores to x, and the
//@      same preemption bound as without the calls.
//@ uninstrumented: dup2
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DCLOSE=closefrom(3) --preemptions none
//@ verdict: clean
//@ run: -DCLOSE=close_range(3,~0u,0) --preemptions none
//@ verdict: clean
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#ifndef CLOSE
#define CLOSE                                                                                      \
    for (int descriptor = 3; descriptor < 5000; descriptor++)                                      \
    close(descriptor)
#endif

int x;

static void *body(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    CLOSE;
    // Beyond the limit of descriptors, where none can be made.
    int limit = (int)sysconf(_SC_OPEN_MAX);
    if (dup2(1, limit) != -1)
        x = 3;
    x = 2;
    pthread_join(thread, NULL);
    return 0;
}
