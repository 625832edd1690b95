//@ why: The deque of D. Detlefs et al. (DISC 2000), whose ends move by a compare-and-swap of two
//@      words (snark of TACAS 2011; it is known to be wrong with more operations: S. Doherty et
//@      al., SPAA 2004). Under TSO that is a full fence, and what a push writes before it is there.
//@      Under PSO it drains its own two words only: what a new node holds may come later, seen by
//@      whoever pops it or pushes next to it. The other three stores of a push are to its node,
//@      too.
//@ run: --preemptions 1
//@ verdict: violations
//@ pso: r-right -> is-empty, r-value -> last-value, r-value -> value, r-first-left ->
//@      l-beyond, r-left -> inner, l-value -> last-value, l-first-right -> is-empty,
//@      l-first-right -> r-beyond
//@ run: -DFENCED --preemptions 2
//@ verdict: clean
//@ run: -DFENCED --explorer dpor
//@ verdict: clean
#include <assert.h>
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The fences that are there, by number: all with FENCED, but that of WITHOUT; or those of the bits
// of FENCES.
#ifndef WITHOUT
#define WITHOUT 0
#endif
#ifndef FENCES
#ifdef FENCED
#define FENCES ~(1U << WITHOUT)
#else
#define FENCES 0U
#endif
#endif
#define FENCE(number, order) ((FENCES >> (number) & 1) ? atomic_thread_fence(order) : (void)0)

enum { EMPTY = -1 };

struct node {
    struct node *volatile left, *volatile right;
    volatile int value;
};

// Points to itself on both sides. So does, on one side, a node that was popped at that side.
struct node dummy;
struct node *volatile left_hat, *volatile right_hat;

static bool dcas(struct node *volatile *one, struct node *volatile *other, struct node *one_old,
                 struct node *other_old, struct node *one_new, struct node *other_new) {
    return fh_double_compare_and_swap((void *)one, (void *)other, (unsigned long)one_old,
                                      (unsigned long)other_old, (unsigned long)one_new,
                                      (unsigned long)other_new);
}

static void push_right(int value) {
    struct node *node = malloc(sizeof *node);
    node->right = &dummy; // @r-right
    node->value = value;  // @r-value
    for (;;) {
        struct node *right = right_hat, *beyond = right->right; // @r-beyond
        if (beyond == right) {
            node->left = &dummy; // @r-first-left
            struct node *left = left_hat;
            FENCE(1, memory_order_release);
            if (dcas(&right_hat, &left_hat, right, left, node, node))
                return;
        } else {
            node->left = right; // @r-left
            FENCE(2, memory_order_release);
            if (dcas(&right_hat, &right->right, right, beyond, node, node))
                return;
        }
    }
}

static void push_left(int value) {
    struct node *node = malloc(sizeof *node);
    node->left = &dummy;
    node->value = value; // @l-value
    for (;;) {
        struct node *left = left_hat, *beyond = left->left; // @l-beyond
        if (beyond == left) {
            node->right = &dummy; // @l-first-right
            struct node *right = right_hat;
            FENCE(3, memory_order_release);
            if (dcas(&left_hat, &right_hat, left, right, node, node))
                return;
        } else {
            node->right = left;
            FENCE(4, memory_order_release);
            if (dcas(&left_hat, &left->left, left, beyond, node, node))
                return;
        }
    }
}

static int pop_right(void) {
    for (;;) {
        struct node *right = right_hat, *left = left_hat;
        if (right->right == right) // @is-empty
            return EMPTY;
        if (right == left) {
            if (dcas(&right_hat, &left_hat, right, left, &dummy, &dummy))
                return right->value; // @last-value
        } else {
            struct node *inner = right->left; // @inner
            if (dcas(&right_hat, &right->left, right, inner, inner, right)) {
                int value = right->value; // @value
                right->right = &dummy;
                return value;
            }
        }
    }
}

static int pop_left(void) {
    for (;;) {
        struct node *left = left_hat, *right = right_hat;
        if (left->left == left)
            return EMPTY;
        if (left == right) {
            if (dcas(&left_hat, &right_hat, left, right, &dummy, &dummy))
                return left->value;
        } else {
            struct node *inner = left->right;
            if (dcas(&left_hat, &left->right, left, inner, inner, left)) {
                int value = left->value;
                left->left = &dummy;
                return value;
            }
        }
    }
}

static void *right_pusher(void *value) {
    push_right((int)(intptr_t)value);
    return NULL;
}

static void *left_pusher(void *value) {
    push_left((int)(intptr_t)value);
    return NULL;
}

static void *popper(void *unused) {
    (void)unused;
    return (void *)(intptr_t)pop_right();
}

int main(void) {
    dummy.left = dummy.right = &dummy;
    left_hat = right_hat = &dummy;

    pthread_t threads[3];
    void *taken;
    pthread_create(&threads[0], NULL, right_pusher, (void *)1);
    pthread_create(&threads[1], NULL, left_pusher, (void *)2);
    pthread_create(&threads[2], NULL, popper, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], &taken);

    int sum = (intptr_t)taken == EMPTY ? 0 : (int)(intptr_t)taken;
    for (int value; (value = pop_left()) != EMPTY;)
        sum += value;
    assert(sum == 1 + 2);
    return 0;
}
