//@ why: A switch at a yield costs no preemption, so with none allowed the thread that yields
//@      between load and store still loses the other's update. Without the yield it does not.
//@ run: --preemptions 0
//@ verdict: violations
//@ assertion: check
//@ run: -DSTRAIGHT --preemptions 0
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <sched.h>

volatile int counter;

static void *increment(void *unused) {
    int before = counter;
#ifndef STRAIGHT
    sched_yield();
#endif
    counter = before + 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2); // @check
    return 0;
}
