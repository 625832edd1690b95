//@ why: The queue of Michael and Scott (PODC 1996) without reuse of nodes. A compare-and-swap that
//@      links a node reaches memory at once. Under TSO it waits for the whole buffer, so the node
//@      is set up before. Under PSO a relaxed one waits for its own address only, and what the node
//@      holds may come later than the link: seen by who takes the value, and by who appends next.
//@      One that releases sends the node's contents ahead. Every other store is an RMW.
//@ run: --preemptions 2
//@ verdict: violations
//@ pso: set-value -> get-value, set-next -> enqueue-next
//@ run: -DFENCED --preemptions 3
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#if defined FENCED || (defined FENCES && FENCES)
#define LINK memory_order_release
#else
#define LINK memory_order_relaxed
#endif
#define LOAD(pointer) atomic_load_explicit(pointer, memory_order_acquire)
#define CAS(pointer, old, new, order)                                                              \
    atomic_compare_exchange_strong_explicit(pointer, &(struct node *){old}, new, order,            \
                                            memory_order_relaxed)

enum { EMPTY = -1 };

struct node {
    int value;
    _Atomic(struct node *) next;
};

_Atomic(struct node *) head, tail;

static void enqueue(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;                                            // @set-value
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed); // @set-next
    for (;;) {
        struct node *last = LOAD(&tail);
        struct node *next = LOAD(&last->next); // @enqueue-next
        if (last != LOAD(&tail))
            continue;
        if (next) {
            CAS(&tail, last, next, memory_order_relaxed);
        } else if (CAS(&last->next, NULL, node, LINK)) {
            CAS(&tail, last, node, memory_order_relaxed);
            return;
        }
    }
}

static int dequeue(void) {
    for (;;) {
        struct node *first = LOAD(&head);
        struct node *last = LOAD(&tail);
        struct node *next = LOAD(&first->next);
        if (first != LOAD(&head))
            continue;
        if (first != last) {
            int value = next->value; // @get-value
            if (CAS(&head, first, next, memory_order_relaxed))
                return value;
        } else if (next) {
            CAS(&tail, last, next, memory_order_relaxed);
        } else {
            return EMPTY;
        }
    }
}

static void *body(void *value) {
    enqueue((int)(intptr_t)value);
    return (void *)(intptr_t)dequeue();
}

int main(void) {
    struct node *dummy = malloc(sizeof *dummy);
    dummy->next = NULL;
    head = tail = dummy;

    pthread_t threads[2];
    void *taken[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)(1 << i));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &taken[i]);

    // Both found a value, since who dequeues here has enqueued before, and not the same one.
    assert((intptr_t)taken[0] + (intptr_t)taken[1] == 1 + 2);
    assert(dequeue() == EMPTY);
    // A thread may still read a node that another one has taken, so none was freed until now.
    for (struct node *next; dummy; dummy = next) {
        next = dummy->next;
        free(dummy);
    }
    return 0;
}
