//@ why: After pthread_exit in main the other threads go on, and the program ends with the last one.
//@      So the assertion is reached in the only execution there is: main has one event, then the
//@      thread has all others.
//@ run: -DPTHREAD_EXIT --preemptions none
//@ verdict: violations
//@ executions: 1
//@ assertion: reached
//@ run: -DRETURN --preemptions 0
//@ why: A return from main ends the program, but the thread may have come this far before, and a
//@      switch where a thread ends costs no preemption.
//@ verdict: violations
//@ assertion: reached
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
    return 0;
}
