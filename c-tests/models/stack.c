//@ why: A node that is pushed on Treiber's stack with a relaxed compare-and-exchange
//@      may be popped before its content is there, on PSO and on POWER; the link from the
//@      top to the node is an address dependency, so a release by the pusher is enough on
//@      POWER. TSO keeps the stores in order.
//@ run: --model power
//@ verdict: violations
//@ assertion: content
//@ run: --model pso
//@ verdict: violations
//@ assertion: content
//@ run: --model tso
//@ verdict: clean
//@ run: -DREPAIRED --model power
//@ verdict: clean
//@ run: -DREPAIRED --model pso
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef REPAIRED
#define RELEASE memory_order_release
#else
#define RELEASE memory_order_relaxed
#endif

struct node {
    int value;
    struct node *next;
};

static struct node *_Atomic top;

static void *push(void *unused) {
    struct node *node = malloc(sizeof *node);
    node->value = 7;
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    do {
        node->next = old;
    } while (
        !atomic_compare_exchange_strong_explicit(&top, &old, node, RELEASE, memory_order_relaxed));
    return unused;
}

static void *pop(void *unused) {
    struct node *node = atomic_load_explicit(&top, memory_order_relaxed);
    if (node)
        assert(node->value == 7); // @content
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, push, 0);
    pthread_create(&b, 0, pop, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
