// A ring of two slots with one producer and one consumer, which wait for each other; ITEMS
// go through it.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef ITEMS
#define ITEMS 4
#endif
#define SLOTS 2
static atomic_uint head, tail;
static int slots[SLOTS];
static void *producer(void *u) {
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == SLOTS) {
        }
        slots[i % SLOTS] = (int)i + 1;
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return u;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == i) {
        }
        assert(slots[i % SLOTS] == (int)i + 1);
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    pthread_join(t, 0);
    return 0;
}
