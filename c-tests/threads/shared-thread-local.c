//@ why: A _Thread_local variable whose address is given away is shared memory like any other: the
//@      creator waits in its own variable for the other thread, and what comes with the flag is
//@      message passing, which PSO breaks.
//@ run: --preemptions none
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: -DFENCED --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define ORDER memory_order_release
#else
#define ORDER memory_order_relaxed
#endif

static _Thread_local atomic_int ready;
static _Thread_local int data;

struct mailbox {
    atomic_int *ready;
    int *data;
};

static void *writer(void *argument) {
    struct mailbox mailbox = *(struct mailbox *)argument;
    *mailbox.data = 42; // @store-data
    atomic_store_explicit(mailbox.ready, 1, ORDER);
    assert(data == 0 && atomic_load(&ready) == 0);
    return NULL;
}

int main(void) {
    struct mailbox mailbox = {&ready, &data};
    pthread_t thread;
    pthread_create(&thread, NULL, writer, &mailbox);
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        ;
    int seen = data; // @load-data
    assert(seen == 42);
    pthread_join(thread, NULL);
    return 0;
}
