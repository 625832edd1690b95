//@ why: A loop without any shared access never comes back to the scheduler: the timer ends it, and
//@      that it does not end is the failure.
//@ run: --local-timeout 1s
//@ verdict: violations
//@ livelock: last
#include <pthread.h>

volatile int event;

static void *body(void *unused) {
    event = 1; // @last
    unsigned long count = 1;
    while (count)
        count += 2;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    return 0;
}
