// One long execution: a ring whose ends wait for each other. ITEMS go through it, about 7.3
// events each when threads are drawn evenly.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 16 };

static int slots[SLOTS];
static atomic_int head, tail;

static void *produce(void *unused) {
    for (int item = 0; item < ITEMS; item++) {
        while (atomic_load(&tail) - atomic_load(&head) == SLOTS)
            ;
        slots[item % SLOTS] = item;
        atomic_store(&tail, item + 1);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int item = 0; item < ITEMS; item++) {
        while (atomic_load(&tail) == item)
            ;
        assert(slots[item % SLOTS] == item);
        atomic_store(&head, item + 1);
    }
    return unused;
}

int main(void) {
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
