// The queue of Michael and Scott: N threads enqueue and dequeue OPS times each, by
// compare-and-swaps that are tried again.

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif
#ifndef OPS
#define OPS 1
#endif
struct node {
    int value;
    _Atomic(struct node *) next;
};
static _Atomic(struct node *) head, tail;
static void enqueue(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    atomic_init(&n->next, NULL);
    for (;;) {
        struct node *t = atomic_load(&tail), *next = atomic_load(&t->next);
        if (t != atomic_load(&tail))
            continue;
        if (next) {
            atomic_compare_exchange_strong(&tail, &t, next);
            continue;
        }
        struct node *none = NULL;
        if (atomic_compare_exchange_strong(&t->next, &none, n)) {
            atomic_compare_exchange_strong(&tail, &t, n);
            return;
        }
    }
}
static int dequeue(int *value) {
    for (;;) {
        struct node *h = atomic_load(&head), *t = atomic_load(&tail), *next = atomic_load(&h->next);
        if (h != atomic_load(&head))
            continue;
        if (h == t) {
            if (!next)
                return 0;
            atomic_compare_exchange_strong(&tail, &t, next);
            continue;
        }
        *value = next->value;
        if (atomic_compare_exchange_strong(&head, &h, next))
            return 1;
    }
}
static void *worker(void *u) {
    int v;
    for (int i = 0; i < OPS; i++) {
        enqueue(i + 1);
        dequeue(&v);
    }
    return u;
}
int main(void) {
    struct node *d = malloc(sizeof *d);
    atomic_init(&d->next, NULL);
    atomic_init(&head, d);
    atomic_init(&tail, d);
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
