//@ why: Message passing (message-passing.c) with the flag set in other ways. Under PSO the data
//@      must be on its way before the flag: by a fence of any order that releases, by an exchange
//@      that releases, or by an unlock. A relaxed exchange waits for its own address only.
//@ run: -DSTEP=1 --preemptions none
//@ verdict: clean
//@ run: -DSTEP=2 --preemptions none
//@ verdict: clean
//@ run: -DSTEP=3 --preemptions none
//@ verdict: clean
//@ run: -DSTEP=4 --preemptions none
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: -DSTEP=5 --preemptions none
//@ why: An acquire fence orders loads, and a compiler fence orders nothing in the machine.
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: -DSTEP=6 --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int ready;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set_flag(void) {
#if STEP == 1
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
#elif STEP == 2
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
#elif STEP == 3
    atomic_exchange_explicit(&ready, 1, memory_order_acq_rel);
#elif STEP == 4
    atomic_exchange_explicit(&ready, 1, memory_order_relaxed);
#elif STEP == 5
    atomic_thread_fence(memory_order_acquire);
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
#elif STEP == 6
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
#endif
}

static void *writer(void *unused) {
    (void)unused;
    data = 42; // @store-data
    set_flag();
    return NULL;
}

static void *reader(void *unused) {
    (void)unused;
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    int seen = data; // @load-data
    assert(seen == 42);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
