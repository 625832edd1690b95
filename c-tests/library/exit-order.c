//@ why: Which of several ends of the process comes first decides the status. Main creates
//@      both threads and waits: the first exit comes before the second creation, or after it in
//@      both orders with the second exit, three interleavings of two classes. With -DRETURN main
//@      returns 0 beside one thread that exits: two orders, and one of them has status 1.
//@ run: --preemptions none
//@ verdict: violations
//@ executions: 3
//@ exit-status: one, two
//@ run: --explorer dpor
//@ verdict: violations
//@ executions: 2
//@ exit-status: one, two
//@ run: --model sc --explorer rsmc
//@ verdict: violations
//@ exit-status: one, two
//@ run: -DRETURN --preemptions none
//@ verdict: violations
//@ executions: 2
//@ exit-status: one
//@ run: -DRETURN --explorer dpor
//@ verdict: violations
//@ executions: 2
//@ exit-status: one
#include <pthread.h>
#include <stdlib.h>

static void *one(void *unused) {
    exit(1); // @one
    return unused;
}

#ifndef RETURN
static void *two(void *unused) {
    exit(2); // @two
    return unused;
}
#endif

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
#ifndef RETURN
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
#endif
    return 0;
}
