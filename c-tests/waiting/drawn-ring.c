//@ why: Where executions are drawn, every run is one and counts, whatever its wait loops did:
//@      of a ring whose ends wait for each other a thousand times, a run in which each wait is
//@      alone and in its place would hardly ever be drawn. So ten executions are ten runs.
//@ run: --explorer random --executions 10 --monitor none
//@ verdict: incomplete
//@ executions: 10
//@ stopped-by: executions
//@ run: --explorer pct --executions 10 --monitor none
//@ verdict: incomplete
//@ executions: 10
//@ stopped-by: executions
//@ run: --explorer urw --executions 10 --monitor none
//@ verdict: incomplete
//@ executions: 10
//@ stopped-by: executions
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ITEMS = 2000, SLOTS = 4 };

int slots[SLOTS];
atomic_int head, tail;

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
