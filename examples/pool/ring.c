#include "ring.h"

/* Puts a task in; false where there is no room. */
bool ring_put(struct ring *ring, struct task task) {
    unsigned end = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (end - atomic_load_explicit(&ring->head, memory_order_acquire) == SLOTS)
        return false;
    ring->slots[end % SLOTS] = task;
    atomic_store_explicit(&ring->tail, end + 1, memory_order_release);
    return true;
}

/* Takes a task out; false where there is none. */
bool ring_take(struct ring *ring, struct task *task) {
    unsigned begin = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (begin == atomic_load_explicit(&ring->tail, memory_order_acquire))
        return false;
    *task = ring->slots[begin % SLOTS];
    atomic_store_explicit(&ring->head, begin + 1, memory_order_release);
    return true;
}

bool ring_is_empty(struct ring *ring) {
    return atomic_load_explicit(&ring->head, memory_order_relaxed) ==
           atomic_load_explicit(&ring->tail, memory_order_acquire);
}
