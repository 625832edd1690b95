//@ why: main creates THREADS threads of ACCESSES accesses each and joins them in order; creations
//@      and joins are events too. The numbers are those of a brute-force enumeration of all
//@      interleavings by their preemptions (cli/tests/corpus/counts.rs), which recomputes them in
//@      each run of the corpus.
//@ verdict: clean
//@ run: -DTHREADS=2 -DACCESSES=1 --preemptions none
//@ executions: 5
//@ run: -DTHREADS=2 -DACCESSES=2 --preemptions none
//@ executions: 19
//@ run: -DTHREADS=2 -DACCESSES=3 --preemptions none
//@ executions: 69
//@ run: -DTHREADS=2 -DACCESSES=1 --preemptions 0
//@ executions: 3
//@ run: -DTHREADS=2 -DACCESSES=1 --preemptions 1
//@ executions: 4
//@ run: -DTHREADS=2 -DACCESSES=1 --preemptions 2
//@ executions: 5
//@ run: -DTHREADS=2 -DACCESSES=3 --preemptions 0
//@ executions: 3
//@ run: -DTHREADS=2 -DACCESSES=3 --preemptions 1
//@ executions: 12
//@ run: -DTHREADS=2 -DACCESSES=3 --preemptions 2
//@ executions: 32
//@ run: -DTHREADS=3 -DACCESSES=1 --preemptions 0
//@ executions: 13
//@ run: -DTHREADS=3 -DACCESSES=1 --preemptions 1
//@ executions: 26
//@ run: -DTHREADS=3 -DACCESSES=1 --preemptions 2
//@ executions: 40
//@ run: -DTHREADS=3 -DACCESSES=2 --preemptions 2
//@ executions: 264
//@ run: -DTHREADS=3 -DACCESSES=2 --preemptions none
//@ executions: 1121
#include <pthread.h>

volatile int shared;

static void *body(void *unused) {
    for (int i = 1; i <= ACCESSES; i++)
        (void)shared;
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
