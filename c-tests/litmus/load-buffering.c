//@ why: Each thread loads what the other stores later. Neither TSO nor PSO lets a store pass an
//@      earlier load, so there is nothing to report. Two events in each of two created threads.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 19
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

volatile int x, y;

static void *left(void *unused) {
    (void)unused;
    intptr_t seen = x;
    y = 1;
    return (void *)seen;
}

static void *right(void *unused) {
    (void)unused;
    intptr_t seen = y;
    x = 1;
    return (void *)seen;
}

int main(void) {
    pthread_t threads[2];
    void *seen[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], &seen[0]);
    pthread_join(threads[1], &seen[1]);
    assert(!seen[0] || !seen[1]);
    return 0;
}
