//@ why: A detached thread runs like any other. Main waits for it by a flag here, so that what it
//@      did is seen. A thread may be detached by its creator, by its attributes, or by itself.
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DATTRIBUTE --preemptions none
//@ verdict: clean
//@ run: -DSELF --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int done;

static void *body(void *unused) {
#ifdef SELF
    pthread_detach(pthread_self());
#endif
    data = 1;
    atomic_store(&done, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef ATTRIBUTE
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&thread, &attributes, body, NULL) == 0);
    pthread_attr_destroy(&attributes);
#else
    assert(pthread_create(&thread, NULL, body, NULL) == 0);
#ifndef SELF
    assert(pthread_detach(thread) == 0);
#endif
#endif
    while (!atomic_load(&done))
        ;
    assert(data == 1);
    return 0;
}
