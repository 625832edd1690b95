//@ why: The stack of Treiber, one thread pushes, one takes. A node must be filled before it is
//@      pushed: a compare-and-swap that releases, under PSO.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_PUBLISH
//@ verdict: violations
//@ models: pso breaks
//@ assertion: fails
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_PUBLISH
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif
struct node {
    int value;
    struct node *next;
};
static struct node nodes[2];
static struct node *_Atomic top;

static void *first(void *unused) {
    for (int index = 0; index < 2; index++) {
        struct node *node = &nodes[index];
        node->value = index + 1;
        node->next = LD(top);
        while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, PUBLISH,
                                                      memory_order_relaxed))
            ;
    }
    return unused;
}

static void *second(void *unused) {
    struct node *node = ACQUIRE(top);
    while (node && !atomic_compare_exchange_weak_explicit(
                       &top, &node, node->next, memory_order_acquire, memory_order_acquire))
        ;
    if (node)
        assert(node->value == 1 + (int)(node - nodes)); // @fails
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
