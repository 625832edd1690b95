//@ why: Orders that are enough for the queue of Michael and Scott: a node is released by the
//@      exchange that links it and by those that move the tail or the head, and acquired by
//@      the loads that lead to it. A dequeuer only compares the tail. With two enqueuers nobody
//@      goes on from where the one helps the other.
//@ verdict: clean
//@ run: --model c11
//@ models: c11 harmless
//@ run: --model tso
//@ models: tso harmless
//@ run: --model armv8
//@ models: armv8 harmless
//@ run: --model riscv
//@ models: riscv harmless
//@ run: --model power
//@ models: power harmless
//@ run: -DWEAKEST --model c11
//@ models: c11 harmless
//@ run: -DWEAKEST --model tso
//@ models: tso harmless
//@ run: -DWEAKEST --model armv8
//@ models: armv8 harmless
//@ run: -DWEAKEST --model riscv
//@ models: riscv harmless
//@ run: -DWEAKEST --model power
//@ models: power harmless
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WEAKEST
#define O(order) memory_order_##order
#else
#define O(order) memory_order_seq_cst
#endif

struct node {
    int value;
    struct node *_Atomic next;
};

static struct node *_Atomic head, *_Atomic tail;

static struct node *new_node(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, 0);
    return node;
}

static void enqueue(int value) {
    struct node *node = new_node(value);
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, O(acquire));
        struct node *next = atomic_load_explicit(&last->next, O(acquire));
        if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, O(relaxed), O(relaxed));
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, O(release),
                                                    O(relaxed))) {
            atomic_compare_exchange_strong_explicit(&tail, &last, node, O(release), O(relaxed));
            return;
        }
    }
}

static int dequeue(int *value) {
    for (;;) {
        struct node *first = atomic_load_explicit(&head, O(acquire));
        struct node *last = atomic_load_explicit(&tail, O(relaxed));
        struct node *next = atomic_load_explicit(&first->next, O(acquire));
        if (!next)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, O(release), O(relaxed));
            continue;
        }
        int taken = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, O(release), O(relaxed))) {
            *value = taken;
            return 1;
        }
    }
}

static int got[2];

static void *first(void *unused) {
    enqueue(1);
    return unused;
}

static void *second(void *unused) {
    enqueue(2);
    dequeue(&got[1]);
    return unused;
}

static void *third(void *unused) {
    dequeue(&got[0]);
    return unused;
}

int main(void) {
    struct node *dummy = new_node(0);
    atomic_init(&head, dummy);
    atomic_init(&tail, dummy);
    pthread_t a, b, c;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(got[0] != 1 || got[1] != 1);
}
