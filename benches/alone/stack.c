// Two threads pop and push nodes of a stack, by compare-and-exchange of sixteen bytes.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#define NODES 64
#define ROUNDS 3000000
struct node {
    struct node *_Atomic next;
    long value;
};
struct top {
    struct node *node;
    unsigned long version;
};
static _Alignas(16) struct top top;
static struct node nodes[NODES];
static int swing(struct top *at, struct top *old, struct top new) {
    char done;
    __asm__ __volatile__("lock; cmpxchg16b %0; setz %1"
                         : "+m"(*at), "=q"(done), "+d"(old->version), "+a"(old->node)
                         : "b"(new.node), "c"(new.version)
                         : "memory");
    return done;
}
static void push(struct node *node) {
    struct top old, new;
    do {
        old.version = ((volatile struct top *)&top)->version;
        old.node = ((volatile struct top *)&top)->node;
        atomic_store_explicit(&node->next, old.node, memory_order_relaxed);
        new.node = node;
        new.version = old.version + 1;
    } while (!swing(&top, &old, new));
}
static struct node *pop(void) {
    struct top old, new;
    do {
        old.version = ((volatile struct top *)&top)->version;
        old.node = ((volatile struct top *)&top)->node;
        if (!old.node)
            return 0;
        new.node = atomic_load_explicit(&old.node->next, memory_order_relaxed);
        new.version = old.version + 1;
    } while (!swing(&top, &old, new));
    return old.node;
}
static void *work(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        struct node *n = pop();
        if (n) {
            n->value++;
            push(n);
        }
    }
    return unused;
}
int main(void) {
    for (int i = 0; i < NODES; i++)
        push(&nodes[i]);
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    long sum = 0;
    for (int i = 0; i < NODES; i++)
        sum += nodes[i].value;
    printf("%ld\n", sum);
    return sum != 2L * ROUNDS;
}
