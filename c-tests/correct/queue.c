//@ why: The queue of Michael and Scott, one thread appends, one takes. A node must be filled
//@      before it is linked: under PSO a compare-and-swap that releases.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_LINK
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

#ifdef NO_LINK
#define LINK memory_order_relaxed
#else
#define LINK memory_order_release
#endif
struct node {
    int value;
    struct node *_Atomic next;
};
static struct node nodes[3];
static struct node *_Atomic head = &nodes[0], *_Atomic tail = &nodes[0];

static void append(struct node *node, int value) {
    node->value = value;
    for (;;) {
        struct node *last = ACQUIRE(tail), *next = ACQUIRE(last->next);
        if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release,
                                                    memory_order_relaxed);
        } else if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, LINK,
                                                           memory_order_relaxed)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_release,
                                                    memory_order_relaxed);
            return;
        }
    }
}

static int take(void) {
    for (;;) {
        struct node *begin = ACQUIRE(head), *last = ACQUIRE(tail), *next = ACQUIRE(begin->next);
        if (!next)
            return 0;
        if (begin == last) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release,
                                                    memory_order_relaxed);
        } else {
            int value = next->value;
            if (atomic_compare_exchange_strong_explicit(&head, &begin, next, memory_order_release,
                                                        memory_order_relaxed)) {
                assert(value == next - nodes); // @fails
                return value;
            }
        }
    }
}

static void *first(void *unused) {
    append(&nodes[1], 1);
    append(&nodes[2], 2);
    return unused;
}

static void *second(void *unused) {
    take();
    take();
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
