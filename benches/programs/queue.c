/* A Michael-Scott queue, two threads, about 90 events; all executions with at most 2 preemptions,
 * run REPEAT times over. */
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef REPEAT
#define REPEAT 1
#endif

struct node {
    int value;
    struct node *_Atomic next;
};

static struct node *_Atomic head, *_Atomic tail;

static int swing(struct node *_Atomic *at, struct node *from, struct node *to) {
    return atomic_compare_exchange_strong_explicit(at, &from, to, memory_order_relaxed,
                                                   memory_order_relaxed);
}

static struct node *load(struct node *_Atomic *at) {
    return atomic_load_explicit(at, memory_order_relaxed);
}

static void enqueue(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    for (;;) {
        struct node *last = load(&tail), *next = load(&last->next);
        if (last != load(&tail))
            continue;
        if (next != NULL) {
            swing(&tail, last, next);
        } else if (swing(&last->next, NULL, node)) {
            swing(&tail, last, node);
            return;
        }
    }
}

static int dequeue(void) {
    for (;;) {
        struct node *first = load(&head), *last = load(&tail), *next = load(&first->next);
        if (first != load(&head))
            continue;
        if (first == last) {
            if (next == NULL)
                return 0;
            swing(&tail, last, next);
        } else {
            int value = next->value;
            if (swing(&head, first, next))
                return value;
        }
    }
}

static void *work(void *argument) {
    enqueue((int)(long)argument);
    dequeue();
    enqueue((int)(long)argument + 1);
    dequeue();
    return NULL;
}

int main(void) {
    pthread_t one, other;
    fh_choose(REPEAT);
    struct node *first = calloc(1, sizeof *first);
    atomic_store_explicit(&head, first, memory_order_relaxed);
    atomic_store_explicit(&tail, first, memory_order_relaxed);
    pthread_create(&one, NULL, work, (void *)10);
    pthread_create(&other, NULL, work, (void *)20);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
