/* A ring for one producer and one consumer: `tail` counts the items that were put in, `head` those
 * that were taken out. A new value of `tail` publishes the slot before it.
 *
 * -DREPAIRED publishes with release, and looks with acquire.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef REPAIRED
#define PUBLISH memory_order_release
#define LOOK memory_order_acquire
#else
#define PUBLISH memory_order_relaxed
#define LOOK memory_order_relaxed
#endif

enum { SLOTS = 2, ITEMS = 2, NONE = -1 };

static int slots[SLOTS];
static atomic_uint head, tail;

/* Puts an item in; false where there is no room. */
static bool put(int item) {
    unsigned end = atomic_load_explicit(&tail, memory_order_relaxed);
    if (end - atomic_load_explicit(&head, LOOK) == SLOTS)
        return false;
    slots[end % SLOTS] = item;
    atomic_store_explicit(&tail, end + 1, PUBLISH);
    return true;
}

/* Takes an item out; NONE where there is none. */
static int take(void) {
    unsigned begin = atomic_load_explicit(&head, memory_order_relaxed);
    if (begin == atomic_load_explicit(&tail, LOOK))
        return NONE;
    int item = slots[begin % SLOTS];
    atomic_store_explicit(&head, begin + 1, PUBLISH);
    return item;
}

static void *producer(void *unused) {
    for (int item = 1; item <= ITEMS; item++)
        while (!put(item))
            ;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    for (int wanted = 1; wanted <= ITEMS; wanted++) {
        int item;
        do
            item = take();
        while (item == NONE);
        assert(item == wanted);
    }
    pthread_join(thread, NULL);
    return 0;
}
