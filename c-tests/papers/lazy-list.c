//@ why: The lazy list of S. Heller et al. (OPODIS 2005) with a spin lock in each node,
//@      released by a plain store (lazylist of TACAS 2011). TSO keeps the stores in order, and
//@      after its releases a thread only returns: no violation. PSO may delay what a new node
//@      holds past the store that links it, seen by whoever comes by; the mark and the links past
//@      the release of the locks, seen by the next one inside.
//@ run: --preemptions 1
//@ verdict: violations
//@ pso: set-key -> get-key, set-lock -> take, set-marked -> validate, set-marked ->
//@      get-marked, set-next -> unlink, link -> validate
//@ run: -DFENCED --preemptions 2
//@ verdict: clean
//@ run: -DFENCED --explorer dpor
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The fences that are there, by number: all with FENCED, but that of WITHOUT; or those of the
// bits of FENCES.
#ifndef WITHOUT
#define WITHOUT 0
#endif
#ifndef FENCES
#ifdef FENCED
#define FENCES ~(1U << WITHOUT)
#else
#define FENCES 0U
#endif
#endif
#define FENCE(number, order) ((FENCES >> (number) & 1) ? atomic_thread_fence(order) : (void)0)
// What the three threads do, all with key 2.
#ifndef OPERATIONS
#define OPERATIONS add, remove_key, contains
#endif

struct node {
    volatile int key;
    struct node *volatile next;
    volatile bool marked;
    atomic_int lock;
};

enum { SMALLEST = 0, LARGEST = 9 };

struct node first, last;

static void lock(struct node *node) {
    int free;
    do
        free = 0;
    while (!atomic_compare_exchange_strong_explicit(&node->lock, &free, 1, memory_order_relaxed,
                                                    memory_order_relaxed));
}

static void unlock(struct node *node) {
    atomic_store_explicit(&node->lock, 0, memory_order_relaxed);
}

// The first node whose key is not below `key`, and the one before it.
static struct node *locate(int key, struct node **before) {
    struct node *node = &first;
    do {
        *before = node;
        node = node->next;
    } while (node->key < key); // @get-key
    return node;
}

// Whether the two locked nodes are still in the list, one behind the other.
static bool are_neighbours(struct node *before, struct node *node) {
    return !before->marked && !node->marked && before->next == node; // @validate
}

static bool add(int key) {
    struct node *before = &first, *node;
    bool is_valid, is_new;
    for (;;) {
        node = locate(key, &before);
        lock(before);
        lock(node);
        is_valid = are_neighbours(before, node);
        is_new = false;
        if (is_valid && node->key != key) {
            struct node *one = malloc(sizeof *one);
            one->key = key;                                             // @set-key
            one->marked = false;                                        // @set-marked
            one->next = node;                                           // @set-next
            atomic_store_explicit(&one->lock, 0, memory_order_relaxed); // @set-lock
            FENCE(1, memory_order_release);
            before->next = one; // @link
            is_new = true;
        }
        FENCE(2, memory_order_release);
        unlock(before);
        unlock(node);
        if (is_valid)
            return is_new;
    }
}

static bool remove_key(int key) {
    struct node *before = &first, *node;
    bool is_valid, is_there;
    for (;;) {
        node = locate(key, &before);
        lock(before);
        lock(node); // @take
        is_valid = are_neighbours(before, node);
        is_there = false;
        if (is_valid && node->key == key) {
            node->marked = true;
            FENCE(3, memory_order_release);
            before->next = node->next; // @unlink
            is_there = true;
        }
        FENCE(4, memory_order_release);
        unlock(before);
        unlock(node);
        if (is_valid)
            return is_there;
    }
}

static bool contains(int key) {
    struct node *before, *node = locate(key, &before);
    return node->key == key && !node->marked; // @get-marked
}

static bool (*const operations[])(int) = {OPERATIONS};
enum { THREADS = sizeof operations / sizeof operations[0] };

static void *body(void *number) { return (void *)(intptr_t)operations[(intptr_t)number](2); }

int main(void) {
    first.key = SMALLEST;
    last.key = LARGEST;
    first.next = &last;

    pthread_t threads[THREADS];
    int added = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++) {
        void *done;
        pthread_join(threads[i], &done);
        if (operations[i] == add)
            added += done != NULL;
        else if (operations[i] == remove_key)
            added -= done != NULL;
    }
    // The key is in the list if it was added once more often than removed.
    assert(added == (contains(2) ? 1 : 0));
    return 0;
}
