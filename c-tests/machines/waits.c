//@ why: A thread waits for a flag that another one raises behind its data. The store of the flag
//@      waits in a buffer, but commits in the end, so nobody waits for ever, not even where each
//@      waits for what the other has stored before its own wait (-DBOTH). Under PSO the flag can
//@      commit before the data.
//@ run: --model tso --explorer bounded --preemptions none
//@ verdict: clean
//@ run: --model pso --explorer bounded --preemptions none
//@ verdict: violations
//@ assertion: stale
//@ run: -DBOTH --model tso --explorer bounded --preemptions none
//@ verdict: clean
//@ run: -DBOTH --model pso --explorer bounded --preemptions none
//@ verdict: violations
//@ assertion: stale
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag, answer;

static void *sender(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
#ifdef BOTH
    while (!atomic_load_explicit(&answer, memory_order_relaxed))
        ;
#endif
    return unused;
}

static void *receiver(void *unused) {
    atomic_store_explicit(&answer, 1, memory_order_relaxed);
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        ;
    assert(data); // @stale
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, sender, 0);
    pthread_create(&threads[1], 0, receiver, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
