//@ why: A stack of blocks without counters. One thread reads the top and what is below it,
//@      and is preempted; the other one pops two blocks, frees the first and pushes a new one.
//@      If malloc never gives out an address twice, what the first thread does next is a load
//@      from the freed block, or a compare-and-swap that fails. If malloc gives out the freed
//@      block at once, the block is never seen free, but the compare-and-swap succeeds (the ABA
//@      problem) and puts a block on the stack that was popped. Who frees only after the end of
//@      the other thread has neither problem.
//@ run: --monitor none --preemptions 0
//@ verdict: clean
//@ run: --monitor none
//@ verdict: violations
//@ use-after-free: below free allocation
//@ run: --heap-reuse --monitor none --preemptions 0
//@ verdict: clean
//@ run: --heap-reuse --monitor none
//@ verdict: violations
//@ assertion: aba
//@ run: -DFREE_LATER --heap-reuse --monitor none
//@ verdict: clean
//@ run: -DFREE_LATER --monitor none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
};

_Atomic(struct node *) top;
struct node *first, *second;

static struct node *pop(void) {
    struct node *old = top;
    if (!old)
        return NULL;
    struct node *below = old->next; // @below
    return atomic_compare_exchange_strong(&top, &old, below) ? old : NULL;
}

static void push(struct node *node) {
    struct node *old = top;
    do
        node->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, node));
}

static void *slow(void *unused) {
    pop();
    return unused;
}

static void *fast(void *unused) {
    first = pop();
    second = pop();
#ifndef FREE_LATER
    free(first); // @free
#endif
    push(malloc(sizeof(struct node)));
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        push(malloc(sizeof(struct node))); // @allocation
    pthread_create(&threads[0], NULL, slow, NULL);
    pthread_create(&threads[1], NULL, fast, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(!second || top != second); // @aba
#ifdef FREE_LATER
    free(first);
#endif
    return 0;
}
