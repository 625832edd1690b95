//@ why: A node is published before its value is written, so a reader that comes between the
//@      two finds memory that nobody has written; one that comes before sees no node, one that
//@      comes after sees the value. That needs one switch away from main, between the line that
//@      publishes the node and the next one: no preemption is not enough. EARLY writes the value
//@      first. Without the option nothing is looked for.
//@ run: --uninitialised --preemptions none
//@ verdict: violations
//@ uninitialised: use block
//@ run: --uninitialised --preemptions 0
//@ verdict: clean
//@ run: --uninitialised --explorer dpor
//@ verdict: violations
//@ uninitialised: use block
//@ run: --uninitialised --preemptions none -DEARLY
//@ verdict: clean
//@ run: --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int key, value;
};

static struct node *_Atomic head;
static volatile int seen;

static void *reader(void *unused) {
    struct node *node = head;
    if (node && node->value == 3) // @use
        seen = node->key;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    struct node *node = malloc(sizeof *node); // @block
    node->key = 1;
#ifdef EARLY
    node->value = 3;
    head = node;
#else
    head = node;
    atomic_thread_fence(memory_order_seq_cst);
    node->value = 3;
#endif
    pthread_join(thread, NULL);
    free(node);
    return 0;
}
