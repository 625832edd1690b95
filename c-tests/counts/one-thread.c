//@ why: main creates one thread of CHILD accesses, does MAIN accesses itself and joins. Creation
//@      comes before and the join after all of the thread's accesses, so without a bound there is
//@      one execution for each way to merge the two sequences: (MAIN + CHILD) over MAIN.
//@ verdict: clean
//@ run: -DMAIN=0 -DCHILD=5 --preemptions none
//@ executions: 1
//@ run: -DMAIN=5 -DCHILD=0 --preemptions none
//@ executions: 1
//@ run: -DMAIN=1 -DCHILD=1 --preemptions none
//@ executions: 2
//@ run: -DMAIN=2 -DCHILD=3 --preemptions none
//@ executions: 10
//@ run: -DMAIN=4 -DCHILD=4 --preemptions none
//@ executions: 70
//@ run: -DMAIN=10 -DCHILD=7 --preemptions none
//@ executions: 19448
#include <pthread.h>

volatile int by_main, by_child;

static void *child(void *unused) {
    for (int i = 1; i <= CHILD; i++)
        by_child = i;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, child, NULL);
    for (int i = 1; i <= MAIN; i++)
        by_main = i;
    pthread_join(thread, NULL);
    return 0;
}
