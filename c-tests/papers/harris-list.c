//@ why: The non-blocking list of T. Harris (DISC 2001), its marks in the lowest bit of the links
//@      (harris of TACAS 2011). All that is written where others can see it is written by a
//@      compare-and-swap: no violation under TSO. A relaxed one drains nothing else under PSO, so
//@      what a new node holds may come after its link: its key, and its own link.
//@ run: --preemptions 1
//@ verdict: violations
//@ pso: set-key -> get-key, set-next -> get-next
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

// A pointer to a node, and in its lowest bit whether the node that holds it has been removed.
typedef uintptr_t link;

struct node {
    volatile int key;
    _Atomic(link) next;
};

enum { SMALLEST = 0, LARGEST = 9 };

struct node first, last;

static struct node *behind(link link) { return (struct node *)(link & ~(uintptr_t)1); }
static bool is_marked(link link) { return link & 1; }

static link get(_Atomic(link) *place) { return atomic_load_explicit(place, memory_order_relaxed); }

static bool swing(_Atomic(link) *place, link old, link new) {
    return atomic_compare_exchange_strong_explicit(place, &old, new, memory_order_relaxed,
                                                   memory_order_relaxed);
}

// The first unmarked node whose key is not below `key`, and the unmarked one before it. Takes
// marked ones between them out of the list.
static struct node *search(int key, struct node **before) {
    for (;;) {
        struct node *node = &first;
        link next = get(&first.next), before_next = next;
        do {
            if (!is_marked(next)) {
                *before = node;
                before_next = next;
            }
            node = behind(next);
            if (node == &last)
                break;
            next = get(&node->next); // @get-next
        } while (is_marked(next) || node->key < key); // @get-key
        bool is_clean = behind(before_next) == node;
        if (is_clean || swing(&(*before)->next, before_next, (link)node))
            if (node == &last || !is_marked(get(&node->next)))
                return node;
    }
}

static bool has(const struct node *node, int key) { return node != &last && node->key == key; }

static bool add(int key) {
    struct node *one = malloc(sizeof *one);
    one->key = key; // @set-key
    for (;;) {
        struct node *before, *node = search(key, &before);
        if (has(node, key))
            return false;
        atomic_store_explicit(&one->next, (link)node, memory_order_relaxed); // @set-next
        FENCE(1, memory_order_release);
        if (swing(&before->next, (link)node, (link)one))
            return true;
    }
}

static bool remove_key(int key) {
    for (;;) {
        struct node *before, *node = search(key, &before);
        if (!has(node, key))
            return false;
        link next = get(&node->next);
        if (is_marked(next) || !swing(&node->next, next, next | 1))
            continue;
        if (!swing(&before->next, (link)node, next))
            search(key, &before);
        return true;
    }
}

static bool contains(int key) {
    struct node *before, *node = search(key, &before);
    return has(node, key);
}

static bool (*const operations[])(int) = {add, remove_key, contains};
enum { THREADS = sizeof operations / sizeof operations[0] };

static void *body(void *number) { return (void *)(intptr_t)operations[(intptr_t)number](2); }

int main(void) {
    first.key = SMALLEST;
    last.key = LARGEST;
    first.next = (link)&last;

    pthread_t threads[THREADS];
    void *done[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], &done[i]);
    assert(done[0]);
    assert(contains(2) == !done[1]);
    return 0;
}
