//@ why: THREADS threads add to x and y in an atomic block: THREADS! orders, in each of
//@      which no increment is lost. LOOKING: one of them looks at x, in no block: it
//@      comes before, between or after the blocks of the others, which have (THREADS -
//@      1)! orders. ASIDE: it looks at what no block accesses. WAITING: it waits, block
//@      by block, for x to be all that the others add, and finds that only behind all of
//@      their blocks; its blocks that found less count once.
//@ verdict: clean
//@ run: -DTHREADS=4 -DHOW=ADDING --explorer dpor
//@ executions: 24
//@ run: -DTHREADS=4 -DHOW=LOOKING --explorer dpor
//@ executions: 24
//@ run: -DTHREADS=4 -DHOW=ASIDE --explorer dpor
//@ executions: 6
//@ run: -DTHREADS=4 -DHOW=WAITING --explorer dpor
//@ executions: 6
//@ run: -DTHREADS=3 -DHOW=WAITING --preemptions none
//@ run: -DTHREADS=3 -DHOW=ADDING --explorer dpor --preemptions 0
//@ executions: 6
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

enum { ADDING, LOOKING, ASIDE, WAITING };

volatile int x, y, z;

static void add(void) {
    __VERIFIER_atomic_begin();
    x++;
    y++;
    __VERIFIER_atomic_end();
}

static int __VERIFIER_atomic_read(void) { return x; }

static void *body(void *number) {
    if (number != NULL || HOW == ADDING)
        add();
    else if (HOW == WAITING)
        while (__VERIFIER_atomic_read() < THREADS - 1)
            ;
    else
        (void)(HOW == LOOKING ? x : z);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (intptr_t t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, body, (void *)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    assert(x == y && x == (HOW == ADDING ? THREADS : THREADS - 1));
    return 0;
}
