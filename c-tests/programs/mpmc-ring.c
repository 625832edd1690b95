//@ why: A bounded queue for many producers and consumers. Each cell carries a turn number; the
//@      store to it hands the cell over, and must not come before the item is there. TSO keeps the
//@      two in order, PSO does not: the consumer that sees the turn may read what the cell held
//@      before. A release store keeps them in order. Everything else that is written is a position,
//@      taken by a compare-and-swap, which nobody can see too late.
//@ run: -DSEEDED --preemptions 2
//@ verdict: violations
//@ pso: put-item -> get-item
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// ---- What a header would say ------------------------------------------------------------------

// A queue of pointer-sized items in a ring of cells, after D. Vyukov (1024cores.net, 2010). Any
// number of threads may push and pop at the same time. The queue is first in, first out, as far as
// the order in which threads take positions goes; it never allocates after `ring_create`.
struct ring;

// How a push or a pop ended.
enum ring_result {
    RING_DONE, // the item was taken or put
    RING_FULL, // a push found no free cell
    RING_EMPTY // a pop found no item
};

// A ring of `capacity` cells, a power of two and at least 2; NULL if there is no memory for it.
struct ring *ring_create(size_t capacity);

// Frees a ring that nobody uses any more. Items that are still in it are forgotten.
void ring_destroy(struct ring *ring);

// Puts `item` at the end, or says that the ring is full.
enum ring_result ring_try_push(struct ring *ring, uintptr_t item);

// Takes the item at the front into `*item`, or says that the ring is empty.
enum ring_result ring_try_pop(struct ring *ring, uintptr_t *item);

// Puts `item` at the end, and waits for a free cell if need be.
void ring_push(struct ring *ring, uintptr_t item);

// Takes the item at the front, and waits for one if need be.
uintptr_t ring_pop(struct ring *ring);

// Pushes up to `count` items in order, and returns how many there was room for.
size_t ring_push_many(struct ring *ring, const uintptr_t *items, size_t count);

// Pops up to `count` items in order, and returns how many there were.
size_t ring_pop_many(struct ring *ring, uintptr_t *items, size_t count);

// The number of positions taken for items and not yet taken for pops: a guess while others work.
size_t ring_size(struct ring *ring);

// Whether the ring was empty at some moment or other; another guess.
bool ring_is_empty(struct ring *ring);

// The number of cells.
size_t ring_capacity(const struct ring *ring);

// ---- Implementation ---------------------------------------------------------------------------

// What tells the next owner of a cell that it is its turn.
#ifdef SEEDED
#define HAND_OVER memory_order_relaxed
#else
#define HAND_OVER memory_order_release
#endif

// A cell is free for the push at position p while `turn` is p, holds its item while `turn` is
// p + 1, and is free again for the push one round later when `turn` is p + capacity.
struct cell {
    atomic_size_t turn;
    uintptr_t item;
};

struct ring {
    size_t mask; // capacity - 1
    struct cell *cells;
    // On lines of their own in a real build: producers and consumers do not share one.
    atomic_size_t push_position;
    atomic_size_t pop_position;
};

struct ring *ring_create(size_t capacity) {
    assert(capacity >= 2 && (capacity & (capacity - 1)) == 0);
    struct ring *ring = malloc(sizeof *ring);
    if (!ring)
        return NULL;
    ring->cells = malloc(capacity * sizeof *ring->cells);
    if (!ring->cells) {
        free(ring);
        return NULL;
    }
    ring->mask = capacity - 1;
    for (size_t i = 0; i < capacity; i++) {
        atomic_init(&ring->cells[i].turn, i);
        ring->cells[i].item = 0;
    }
    atomic_init(&ring->push_position, 0);
    atomic_init(&ring->pop_position, 0);
    return ring;
}

void ring_destroy(struct ring *ring) {
    if (!ring)
        return;
    free(ring->cells);
    free(ring);
}

// Which turn a cell must have for a position, compared with the one that it has. Positions wrap
// round, so their difference is signed.
static ptrdiff_t turns_ahead(const struct cell *cell, size_t wanted) {
    size_t turn = atomic_load_explicit(&cell->turn, memory_order_acquire);
    return (ptrdiff_t)(turn - wanted);
}

// Takes the next position of `*counter` whose cell has the turn `position + offset`. NULL if the
// cell is behind: the ring is full for pushes, empty for pops.
static struct cell *take_position(struct ring *ring, atomic_size_t *counter, size_t offset,
                                  size_t *position) {
    *position = atomic_load_explicit(counter, memory_order_relaxed);
    for (;;) {
        struct cell *cell = &ring->cells[*position & ring->mask];
        ptrdiff_t ahead = turns_ahead(cell, *position + offset);
        if (ahead < 0)
            return NULL;
        if (ahead > 0) {
            // Somebody else took this position meanwhile.
            *position = atomic_load_explicit(counter, memory_order_relaxed);
            continue;
        }
        // On failure `*position` is what somebody else has made of the counter.
        if (atomic_compare_exchange_weak_explicit(counter, position, *position + 1,
                                                  memory_order_relaxed, memory_order_relaxed))
            return cell;
    }
}

enum ring_result ring_try_push(struct ring *ring, uintptr_t item) {
    size_t position;
    struct cell *cell = take_position(ring, &ring->push_position, 0, &position);
    if (!cell)
        return RING_FULL;
    cell->item = item; // @put-item
    atomic_store_explicit(&cell->turn, position + 1, HAND_OVER);
    return RING_DONE;
}

enum ring_result ring_try_pop(struct ring *ring, uintptr_t *item) {
    size_t position;
    struct cell *cell = take_position(ring, &ring->pop_position, 1, &position);
    if (!cell)
        return RING_EMPTY;
    *item = cell->item; // @get-item
    atomic_store_explicit(&cell->turn, position + ring->mask + 1, HAND_OVER);
    return RING_DONE;
}

void ring_push(struct ring *ring, uintptr_t item) {
    while (ring_try_push(ring, item) != RING_DONE)
        ;
}

uintptr_t ring_pop(struct ring *ring) {
    uintptr_t item = 0;
    while (ring_try_pop(ring, &item) != RING_DONE)
        ;
    return item;
}

size_t ring_push_many(struct ring *ring, const uintptr_t *items, size_t count) {
    size_t done = 0;
    while (done < count && ring_try_push(ring, items[done]) == RING_DONE)
        done++;
    return done;
}

size_t ring_pop_many(struct ring *ring, uintptr_t *items, size_t count) {
    size_t done = 0;
    while (done < count && ring_try_pop(ring, &items[done]) == RING_DONE)
        done++;
    return done;
}

size_t ring_size(struct ring *ring) {
    size_t popped = atomic_load_explicit(&ring->pop_position, memory_order_relaxed);
    size_t pushed = atomic_load_explicit(&ring->push_position, memory_order_relaxed);
    return pushed - popped;
}

bool ring_is_empty(struct ring *ring) {
    size_t position = atomic_load_explicit(&ring->pop_position, memory_order_relaxed);
    return turns_ahead(&ring->cells[position & ring->mask], position + 1) < 0;
}

size_t ring_capacity(const struct ring *ring) { return ring->mask + 1; }

// ---- Harness ----------------------------------------------------------------------------------

enum { CAPACITY = 4 };

static struct ring *shared;

// What one thread can see of the ring by itself: order, limits, a round past the end.
static void test_alone(void) {
    uintptr_t in[CAPACITY + 1] = {11, 12, 13, 14, 15}, out[CAPACITY];
    uintptr_t unused;
    assert(ring_try_pop(shared, &unused) == RING_EMPTY);
    for (int round = 0; round < 2; round++) {
        assert(ring_is_empty(shared));
        assert(ring_push_many(shared, in, CAPACITY + 1) == CAPACITY);
        assert(ring_try_push(shared, 16) == RING_FULL && !ring_is_empty(shared));
        assert(ring_size(shared) == ring_capacity(shared));
        assert(ring_pop(shared) == in[0]);
        assert(ring_pop_many(shared, out, CAPACITY) == CAPACITY - 1);
        for (int i = 0; i < CAPACITY - 1; i++)
            assert(out[i] == in[i + 1]);
        assert(ring_size(shared) == 0);
    }
}

static void *produce(void *item) {
    ring_push(shared, (uintptr_t)item);
    return NULL;
}

static void *produce_and_consume(void *item) {
    ring_push(shared, (uintptr_t)item);
    return (void *)ring_pop(shared);
}

int main(void) {
    shared = ring_create(CAPACITY);
    assert(shared);
    test_alone();

    pthread_t threads[2];
    void *item;
    pthread_create(&threads[0], NULL, produce, (void *)1);
    pthread_create(&threads[1], NULL, produce_and_consume, (void *)2);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], &item);

    // Each item came out once.
    assert((uintptr_t)item + ring_pop(shared) == 1 + 2);
    assert(ring_size(shared) == 0);
    ring_destroy(shared);
    return 0;
}
