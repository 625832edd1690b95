//@ why: A loop without any shared access never comes back to the scheduler: the timer ends it, and
//@      that it does not end is the failure. It may be interrupted at any line, so its function is
//@      named, which is the same each time.
//@ run: --local-timeout 1s
//@ verdict: violations
//@ livelock: function
#include <pthread.h>

volatile int event;

static void *body(void *unused) { // @function
    event = 1;
    // C lets a compiler assume that a loop ends, but not one whose condition is a constant.
    for (unsigned long count = 0;; count++)
        ;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    return 0;
}
