//@ why: After pthread_exit in main the other threads go on, and the program ends with the last: the
//@      assertion in the created thread is reached. A return from main ends them all, so that the
//@      same assertion is reached on some executions only, which is a failure all the same.
//@ run: -DPTHREAD_EXIT --preemptions none
//@ verdict: violations
//@ executions: 1
//@ assertion: reached
//@ run: -DDIVIDED --preemptions none
//@ verdict: violations
//@ assertion: reached
//@ run: -DRETURN --preemptions 0
//@ why: Nothing preempts main before its return.
//@ verdict: clean
//@ executions: 1
#include <assert.h>
#include <pthread.h>

volatile int steps;

static void *body(void *unused) {
    steps = 1;
    assert(steps == 0); // @reached
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
#ifdef PTHREAD_EXIT
    pthread_exit(NULL);
#endif
#ifdef DIVIDED
    (void)steps;
#endif
    return 0;
}
