/* A stack without a lock, from which two threads take a node each.
 *
 * -DREPAIRED keeps what was taken until no thread can look at it any more.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(struct node *node) {
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &node->next, node))
        ;
}

static struct node *pop(void) {
    struct node *node = atomic_load(&top);
    while (node != NULL && !atomic_compare_exchange_weak(&top, &node, node->next))
        ;
    return node;
}

static void *taker(void *unused) {
    struct node *node = pop();
#ifdef REPAIRED
    return node;
#else
    free(node);
    return unused;
#endif
}

int main(void) {
    for (int i = 0; i < 2; i++)
        push(malloc(sizeof(struct node)));
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, taker, NULL);
    void *taken[2];
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &taken[i]);
    for (int i = 0; i < 2; i++)
        free(taken[i]);
    return 0;
}
