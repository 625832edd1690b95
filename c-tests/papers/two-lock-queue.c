//@ why: The two-lock queue of Michael and Scott (PODC 1996), its locks a compare-and-swap to take
//@      and a plain store to release (ms2 of TACAS 2011). Under TSO stores stay in order, and no
//@      thread loads anything after its release: no violation. PSO may delay what a node holds past
//@      the store that links it, seen by the dequeuer, and by the next enqueuer, who links behind
//@      it; and the tail (or head) past the release of its lock, seen by the next one inside.
//@ run: --preemptions 1
//@ verdict: violations
//@ pso: set-value -> get-value, set-next -> link, set-tail -> get-tail
//@ run: -DDEQUEUERS=2 --preemptions 1
//@ verdict: violations
//@ pso: set-value -> get-value, set-next -> get-next, set-head -> get-head
//@ run: -DFENCED --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The fences that are there, by number: all with FENCED, but that of WITHOUT; or those of the bits
// of FENCES.
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
// The harness has three threads: so many dequeue, the others enqueue.
#ifndef DEQUEUERS
#define DEQUEUERS 1
#endif

enum { EMPTY = -1, THREADS = 3 };

struct node {
    struct node *volatile next;
    volatile int value;
};

struct node *volatile head, *volatile tail;
atomic_int head_lock, tail_lock;

static void lock(atomic_int *lock) {
    while (!atomic_compare_exchange_strong_explicit(lock, &(int){0}, 1, memory_order_relaxed,
                                                    memory_order_relaxed))
        ;
}

static void unlock(atomic_int *lock) { atomic_store_explicit(lock, 0, memory_order_relaxed); }

static void enqueue(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value; // @set-value
    node->next = NULL;   // @set-next
    FENCE(1, memory_order_release);
    lock(&tail_lock);
    struct node *last = tail; // @get-tail
    last->next = node;        // @link
    tail = node;              // @set-tail
    FENCE(2, memory_order_release);
    unlock(&tail_lock);
}

static int dequeue(void) {
    int value = EMPTY;
    lock(&head_lock);
    struct node *first = head;       // @get-head
    struct node *next = first->next; // @get-next
    if (next) {
        value = next->value; // @get-value
        head = next;         // @set-head
    }
    FENCE(3, memory_order_release);
    unlock(&head_lock);
    return value;
}

static void *producer(void *value) {
    enqueue((int)(intptr_t)value);
    return NULL;
}

static void *consumer(void *unused) {
    (void)unused;
    return (void *)(intptr_t)dequeue();
}

int main(void) {
    struct node *dummy = malloc(sizeof *dummy);
    dummy->next = NULL;
    head = tail = dummy;

    pthread_t threads[THREADS];
    intptr_t sum = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i < DEQUEUERS ? consumer : producer,
                       (void *)(intptr_t)(1 << i));
    for (int i = 0; i < THREADS; i++) {
        void *taken;
        pthread_join(threads[i], &taken);
        if (i >= DEQUEUERS)
            sum += 1 << i;
        else if ((intptr_t)taken != EMPTY)
            sum -= (intptr_t)taken;
    }
    // Nothing is lost, nothing comes twice.
    for (int value; (value = dequeue()) != EMPTY;)
        sum -= value;
    assert(sum == 0);
    return 0;
}
