//@ why: A queue between one producer and one consumer, which sleeps on a futex while the queue is
//@      empty. The consumer says that it sleeps, and looks at the queue once more; the producer
//@      puts its item, and looks whether the consumer sleeps. With SEEDED=1 the consumer does not
//@      look once more: if the item comes after its first look and before it says so, nobody wakes
//@      it. One preemption of the consumer, between the two, is enough.
//@ run: -DSEEDED=1 --monitor none --preemptions 2
//@ verdict: violations
//@ lost-wakeup: sleep join
//@ run: -DSEEDED=2 --preemptions 2
//@ why: Without a full fence between the store and the look on either side, both stores can wait
//@      while both look (store buffering): the item is there, and the consumer sleeps. The futex
//@      compares what is in memory, so it would notice; but on the consumer's side alone.
//@ verdict: violations
//@ tso: publish -> look, fall-asleep -> is-asleep
//@ pso: publish -> look, fall-asleep -> is-asleep
//@ run: -DSEEDED=3 --preemptions 2
//@ why: The store of the tail hands the item over. PSO may delay the item past it, unless it
//@      releases.
//@ verdict: violations
//@ pso: put-item -> get-item
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- What a header would say ------------------------------------------------------------------

// A queue of fixed capacity from one thread, its producer, to another one, its consumer. Neither
// takes a lock. Each side keeps a copy of the other one's position and looks at the real one only
// when the copy says that the queue is full or empty.
struct spsc;

// A queue for `capacity` items, a power of two; NULL if there is no memory.
struct spsc *spsc_create(size_t capacity);

// Frees a queue that neither side uses any more.
void spsc_destroy(struct spsc *queue);

// Producer: puts an item at the end and wakes the consumer if it sleeps; false if the queue is
// full.
bool spsc_push(struct spsc *queue, uintptr_t item);

// Producer: puts up to `count` items, and returns how many there was room for. Wakes the consumer
// once.
size_t spsc_push_many(struct spsc *queue, const uintptr_t *items, size_t count);

// Consumer: takes the first item; false if the queue is empty.
bool spsc_try_pop(struct spsc *queue, uintptr_t *item);

// Consumer: takes the first item, and sleeps until there is one.
uintptr_t spsc_pop(struct spsc *queue);

// Consumer: the first item, which stays where it is; NULL if the queue is empty.
const uintptr_t *spsc_front(struct spsc *queue);

// Producer: how many more items there is room for, at least.
size_t spsc_room(struct spsc *queue);

// Consumer: how many items there are, at least.
size_t spsc_count(struct spsc *queue);

// ---- Implementation ---------------------------------------------------------------------------

#ifndef SEEDED
#define SEEDED 0
#endif

// How a position is handed to the other side.
#if SEEDED == 3
#define HAND_OVER memory_order_relaxed
#else
#define HAND_OVER memory_order_release
#endif

// Between what one side says and what it then asks of the other one.
static void say_before_asking(void) {
#if SEEDED != 2
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

enum { AWAKE, ASLEEP };

struct spsc {
    // Set once.
    size_t mask;
    uintptr_t *items;
    // The consumer's: the position of the next item to take, and where the producer was.
    atomic_size_t head;
    size_t tail_seen;
    // The producer's: the position of the next item to put, and where the consumer was.
    atomic_size_t tail;
    size_t head_seen;
    // ASLEEP from when the consumer has decided to sleep until somebody wakes it.
    atomic_int consumer;
};

struct spsc *spsc_create(size_t capacity) {
    assert(capacity > 0 && (capacity & (capacity - 1)) == 0);
    struct spsc *queue = malloc(sizeof *queue);
    if (!queue)
        return NULL;
    queue->items = calloc(capacity, sizeof *queue->items);
    if (!queue->items) {
        free(queue);
        return NULL;
    }
    queue->mask = capacity - 1;
    atomic_init(&queue->head, 0);
    queue->tail_seen = 0;
    atomic_init(&queue->tail, 0);
    queue->head_seen = 0;
    atomic_init(&queue->consumer, AWAKE);
    return queue;
}

void spsc_destroy(struct spsc *queue) {
    if (!queue)
        return;
    free(queue->items);
    free(queue);
}

// Sleeps while `*word` is `value`, or wakes for no reason.
static void sleep_while(atomic_int *word, int value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0); // @sleep
}

static void wake_one(atomic_int *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

// Producer: wakes the consumer if it sleeps or is about to.
static void wake_consumer(struct spsc *queue) {
    say_before_asking();
    if (atomic_load_explicit(&queue->consumer, memory_order_relaxed) == AWAKE) // @is-asleep
        return;
    atomic_store_explicit(&queue->consumer, AWAKE, memory_order_seq_cst);
    wake_one(&queue->consumer);
}

size_t spsc_room(struct spsc *queue) {
    size_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    if (tail - queue->head_seen > queue->mask)
        queue->head_seen = atomic_load_explicit(&queue->head, memory_order_acquire);
    return queue->mask + 1 - (tail - queue->head_seen);
}

size_t spsc_count(struct spsc *queue) {
    size_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    if (head == queue->tail_seen)
        queue->tail_seen = atomic_load_explicit(&queue->tail, memory_order_acquire); // @look
    return queue->tail_seen - head;
}

size_t spsc_push_many(struct spsc *queue, const uintptr_t *items, size_t count) {
    size_t room = spsc_room(queue);
    if (count > room)
        count = room;
    if (count == 0)
        return 0;
    size_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    for (size_t i = 0; i < count; i++)
        queue->items[(tail + i) & queue->mask] = items[i];        // @put-item
    atomic_store_explicit(&queue->tail, tail + count, HAND_OVER); // @publish
    wake_consumer(queue);
    return count;
}

bool spsc_push(struct spsc *queue, uintptr_t item) { return spsc_push_many(queue, &item, 1) == 1; }

const uintptr_t *spsc_front(struct spsc *queue) {
    if (spsc_count(queue) == 0)
        return NULL;
    size_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    return &queue->items[head & queue->mask];
}

bool spsc_try_pop(struct spsc *queue, uintptr_t *item) {
    const uintptr_t *front = spsc_front(queue);
    if (!front)
        return false;
    *item = *front; // @get-item
    size_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    atomic_store_explicit(&queue->head, head + 1, HAND_OVER);
    return true;
}

// Consumer: whether the producer has put nothing while the consumer said that it sleeps.
static bool is_still_empty(struct spsc *queue) {
#if SEEDED == 1
    (void)queue;
    return true;
#else
    return spsc_count(queue) == 0;
#endif
}

uintptr_t spsc_pop(struct spsc *queue) {
    uintptr_t item;
    while (!spsc_try_pop(queue, &item)) {
        atomic_store_explicit(&queue->consumer, ASLEEP, memory_order_relaxed); // @fall-asleep
        say_before_asking();
        if (is_still_empty(queue))
            sleep_while(&queue->consumer, ASLEEP);
        // Whoever woke it has said so; nobody did if there was an item after all.
        atomic_store_explicit(&queue->consumer, AWAKE, memory_order_relaxed);
    }
    return item;
}

// ---- Harness ----------------------------------------------------------------------------------

enum { CAPACITY = 2 };

static struct spsc *shared;

// What one thread can see of the queue by itself.
static void test_alone(void) {
    uintptr_t item;
    assert(!spsc_try_pop(shared, &item) && !spsc_front(shared));
    for (uintptr_t round = 0; round < 3; round++) {
        assert(spsc_room(shared) == CAPACITY);
        const uintptr_t items[] = {10 * round, 10 * round + 1, 10 * round + 2};
        assert(spsc_push(shared, items[0]));
        assert(spsc_push_many(shared, items + 1, 2) == CAPACITY - 1);
        assert(!spsc_push(shared, 99));
        assert(*spsc_front(shared) == 10 * round);
        for (uintptr_t i = 0; i < CAPACITY; i++)
            assert(spsc_pop(shared) == 10 * round + i);
        assert(spsc_count(shared) == 0);
    }
}

static void *produce(void *unused) {
    assert(spsc_push(shared, 7));
    return unused;
}

static void *consume(void *unused) {
    assert(spsc_pop(shared) == 7);
    return unused;
}

int main(void) {
    shared = spsc_create(CAPACITY);
    assert(shared);
    test_alone();

    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL); // @join

    assert(spsc_count(shared) == 0);
    spsc_destroy(shared);
    return 0;
}
