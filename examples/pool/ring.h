/* Tasks on their way from one thread to another. */
#ifndef RING_H
#define RING_H

#include <stdatomic.h>
#include <stdbool.h>

enum { SLOTS = 2 };

struct task {
    void (*run)(int *argument);
    int *argument;
};

struct ring {
    struct task slots[SLOTS];
    atomic_uint head, tail;
};

bool ring_put(struct ring *ring, struct task task);
bool ring_take(struct ring *ring, struct task *task);
bool ring_is_empty(struct ring *ring);

#endif
