//@ why: Three threads cross a barrier so many times: in each round they arrive in 3! orders, and
//@      nothing else is left open. What was stored before is seen behind it under every model. With
//@      a thread too few it is never crossed.
//@ run: -DROUNDS=1 --model power
//@ verdict: clean
//@ executions: 6
//@ run: -DROUNDS=2 --model power
//@ verdict: clean
//@ executions: 36
//@ run: -DROUNDS=2 --model pso
//@ verdict: clean
//@ executions: 36
//@ run: -DROUNDS=1 -DCOUNT=4 --model power
//@ verdict: violations
//@ deadlock: join cross
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef COUNT
#define COUNT 3
#endif

static pthread_barrier_t barrier;
static int stage[ROUNDS][3];

static void *body(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        stage[round][(intptr_t)argument] = 1;
        pthread_barrier_wait(&barrier); // @cross
        for (int i = 0; i < 3; i++)
            assert(stage[round][i]);
    }
    return 0;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, 0, COUNT);
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, body, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0); // @join
}
