//@ why: Nothing in the loop ends it, and nothing in it could be seen: that it goes round for
//@      ever is plain from the program, so it is reported at once, and the thread that joins waits
//@      for ever. No execution has anything else to choose. Where main does not wait, the program
//@      ends.
//@ run:
//@ verdict: violations
//@ executions: 1
//@ livelock: loop join
//@ run: --explorer dpor
//@ verdict: violations
//@ executions: 1
//@ livelock: loop join
//@ run: --model tso
//@ verdict: violations
//@ livelock: loop join
//@ run: -DDO_WHILE
//@ verdict: violations
//@ executions: 1
//@ livelock: do-while join
//@ run: -DDO_WHILE --model tso
//@ verdict: violations
//@ livelock: do-while join
//@ run: -DPAUSES
//@ verdict: violations
//@ executions: 1
//@ livelock: pauses join
//@ run: -DPAUSES --explorer dpor
//@ verdict: violations
//@ executions: 1
//@ livelock: pauses join
//@ run: -DDETACHED --preemptions none
//@ verdict: clean
#include <pthread.h>

volatile int event;

static void *body(void *unused) {
    event = 1;
// C lets a compiler assume that a loop ends, but not one whose condition is a constant.
#if defined DO_WHILE
    do {
    } while (1); // @do-while
#elif defined PAUSES
    while (1)
        __builtin_ia32_pause(); // @pauses
#else
    for (unsigned long count = 0;; count++) // @loop
        ;
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
#ifndef DETACHED
    pthread_join(thread, NULL); // @join
#endif
    return 0;
}
