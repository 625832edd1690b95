//@ why: A join with a limit runs out before the thread's end, or waits for it: its one access and
//@      the join have 2 orders, which are 2 classes, and either assertion fails in one of them.
//@ verdict: violations
//@ run: -DEXPECTED=0 --preemptions none
//@ assertion: expected
//@ run: -DEXPECTED=0 --explorer dpor
//@ assertion: expected
//@ executions: 2
//@ run: -DEXPECTED=ETIMEDOUT --preemptions none
//@ assertion: expected
//@ run: -DEXPECTED=ETIMEDOUT --explorer dpor
//@ assertion: expected
//@ executions: 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

volatile int x;

static void *body(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    const struct timespec limit = {2000000000, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    assert(pthread_timedjoin_np(thread, NULL, &limit) == EXPECTED); // @expected
    return 0;
}
