//@ why: The writer says that the pointer is ready before it is: a reader that looks in between
//@      loads through null. In the right order, and with a release store, no schedule shows that.
//@ run: --preemptions 0
//@ verdict: clean
//@ run: --preemptions 1
//@ verdict: violations
//@ crash: load
//@ run: -DORDERED --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

int data = 1;
int *pointer;
atomic_int ready;

static void *writer(void *unused) {
#ifdef ORDERED
    pointer = &data;
    atomic_store_explicit(&ready, 1, memory_order_release);
#else
    atomic_store_explicit(&ready, 1, memory_order_release);
    pointer = &data;
#endif
    return unused;
}

static void *reader(void *unused) {
    (void)unused;
    if (!atomic_load_explicit(&ready, memory_order_acquire))
        return NULL;
    int *where = pointer;
    return (void *)(intptr_t)*where; // @load
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
