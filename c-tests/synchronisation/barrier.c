//@ why: Main creates two threads that meet at a barrier, and joins them in order; a created
//@      thread may arrive before the second creation or after it. The last to arrive goes on
//@      at once, the other one leaves in an event of its own. First arrives before the
//@      second creation: 1. After it: the second arrives last: 1; the first arrives last:
//@      its join is before the other's leaving or after it: 2. Together 4. Each round has
//@      one serial thread, and what was written before a round is seen after it. With a
//@      barrier for three one thread is missing.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 4
//@ run: -DROUNDS=2 -DWRITES
//@ verdict: clean
//@ run: -DCOUNT=3 --preemptions none
//@ verdict: violations
//@ deadlock: cross join
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef COUNT
#define COUNT 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

pthread_barrier_t barrier;
int written[2], serial[ROUNDS][2];

static void *body(void *argument) {
    intptr_t me = (intptr_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
#ifdef WRITES
        written[me] = round + 1;
#endif
        int result = pthread_barrier_wait(&barrier); // @cross
        assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
#ifdef WRITES
        serial[round][me] = result == PTHREAD_BARRIER_SERIAL_THREAD;
        assert(written[1 - me] == round + 1);
        pthread_barrier_wait(&barrier);
#endif
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    assert(pthread_barrier_init(&barrier, NULL, 0) != 0);
    pthread_barrier_init(&barrier, NULL, COUNT);
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL); // @join
#ifdef WRITES
    for (int round = 0; round < ROUNDS; round++)
        assert(serial[round][0] + serial[round][1] == 1);
#endif
    pthread_barrier_destroy(&barrier);
    return 0;
}
