//@ why: The writer stores the data, then the flag; the reader waits for the flag, then loads the
//@      data. TSO keeps the stores in order. PSO may delay the data past the flag; a release store
//@      of the flag forbids it. Loads stay in order in both models.
//@ run: --preemptions none
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: -DFENCED --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define PUBLISH memory_order_release
#else
#define PUBLISH memory_order_relaxed
#endif

int data;
atomic_int ready;

static void *writer(void *unused) {
    (void)unused;
    data = 42; // @store-data
    atomic_store_explicit(&ready, 1, PUBLISH);
    return NULL;
}

static void *reader(void *unused) {
    (void)unused;
    while (!atomic_load_explicit(&ready, memory_order_acquire))
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
