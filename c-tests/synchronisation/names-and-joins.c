//@ why: A try to join is before the thread's end, and says so, or after it: its one access
//@      and the try have 2 orders, which are 2 classes. Names are kept as they are given, and
//@      setting and getting one is an event: the access comes before, between or behind the three
//@      events of main, in 4 interleavings. The name that is too long is none.
//@ verdict: clean
//@ run: --preemptions none
//@ executions: 4
//@ run: --explorer dpor
//@ executions: 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

volatile int x;

static void *body(void *unused) {
    x = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    char name[16];
    pthread_create(&thread, NULL, body, NULL);
    assert(pthread_setname_np(thread, "worker") == 0);
    assert(pthread_getname_np(thread, name, sizeof name) == 0);
    assert(strcmp(name, "worker") == 0);
    assert(pthread_setname_np(thread, "a name of more than 15 bytes") == ERANGE);
    if (pthread_tryjoin_np(thread, NULL) == EBUSY)
        pthread_join(thread, NULL);
    return 0;
}
