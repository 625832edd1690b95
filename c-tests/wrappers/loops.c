//@ why: Message passing whose reader waits in a function that only wraps the wait: it ends as
//@      a loop of the program's own does, with the value. Stores of two variables in this order
//@      are in order under TSO and not under PSO, where the second one can overtake the first (the
//@      store of the data is delayed beyond the read of it). If nobody sets the flag, the thread
//@      waits for ever, where it calls. The loop around the call of an access is no different.
//@ verdict: violations
//@ run: --preemptions none
//@ pso: store-data -> load-data
//@ run: -DAROUND --preemptions none
//@ pso: store-data -> load-data
//@ run: -DMACROS --preemptions none
//@ pso: store-data -> load-data
//@ run: -DNOBODY --preemptions none
//@ livelock: wait
//@ run: -DAROUND -DNOBODY --preemptions none
//@ livelock: wait
#include <assert.h>
#include <pthread.h>

static void store(volatile int *to, int value) { *to = value; }

static int load(const volatile int *from) { return *from; }

static void await(const volatile int *flag) {
    while (*flag == 0)
        ;
}

#if defined(MACROS)
#define WAIT(flag)                                                                                 \
    while (*(flag) == 0)                                                                           \
    continue
#elif defined(AROUND)
#define WAIT(flag)                                                                                 \
    while (load(flag) == 0)                                                                        \
    continue
#else
#define WAIT(flag) await(flag)
#endif

volatile int data, flag;

static void *writer(void *unused) {
    store(&data, 1); // @store-data
#ifndef NOBODY
    store(&flag, 1);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    WAIT(&flag);              // @wait
    assert(load(&data) == 1); // @load-data
    pthread_join(thread, NULL);
    return 0;
}
