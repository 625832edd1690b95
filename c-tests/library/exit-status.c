//@ why: A thread that exits ends the process: nobody returns from a join of it, so the
//@      assertion behind the join is never reached, and its status is the program's. What the
//@      others do is decided before: main waits in the join, so there is one execution.
//@ run: --preemptions none
//@ verdict: violations
//@ executions: 1
//@ exit-status: exits
//@ run: --explorer dpor
//@ verdict: violations
//@ executions: 1
//@ exit-status: exits
//@ run: --explorer random --executions 3
//@ verdict: violations
//@ stopped-by: executions
//@ executions: 3
//@ exit-status: exits
//@ run: --model tso
//@ verdict: violations
//@ exit-status: exits
//@ run: --exit-status ignore --preemptions none
//@ verdict: clean
//@ executions: 1
//@ run: -DSTATUS=0 --preemptions none
//@ verdict: clean
//@ executions: 1
//@ run: -DSTATUS=256 --preemptions none
//@ verdict: clean
//@ run: -Dexit=_exit --preemptions none
//@ verdict: violations
//@ exit-status: exits
//@ run: -Dexit=_Exit --preemptions none
//@ verdict: violations
//@ exit-status: exits
//@ run: -Dexit=quick_exit --preemptions none
//@ verdict: violations
//@ exit-status: exits
//@ run: -DHANDLER --preemptions none
//@ verdict: violations
//@ exit-status: exits
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef STATUS
#define STATUS 3
#endif

#ifdef HANDLER
static void nothing(void) {}
#endif

static void *end(void *unused) {
    exit(STATUS); // @exits
    return unused;
}

int main(void) {
#ifdef HANDLER
    atexit(nothing);
#endif
    pthread_t thread;
    pthread_create(&thread, NULL, end, NULL);
    pthread_join(thread, NULL);
    assert(!"nobody returns from a join of a thread that exits");
    return 0;
}
