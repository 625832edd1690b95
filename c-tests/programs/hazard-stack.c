//@ why: A stack whose nodes are freed when nobody points at them any more. A thread announces the
//@      node that it is about to follow, looks whether the node is still the top, and only then
//@      follows it; who takes a node off frees it once nobody announces it. The announcement must
//@      be in memory before the second look. Without a full fence it may wait in the store buffer
//@      while the thread that frees looks for it, which is store buffering between the announcement
//@      and the top. (The full fence before the search is for what the searcher itself has
//@      announced before.)
//@ run: -DSEEDED=1 --preemptions 2
//@ verdict: violations
//@ tso: announce -> is-announced
//@ pso: announce -> is-announced
//@ run: -DSEEDED=2 --monitor none --preemptions 2
//@ why: Without the second look the announcement may come after the node was freed: one preemption.
//@ verdict: violations
//@ use-after-free: below release grow
//@ run: --preemptions 2
//@ verdict: clean
//@ run: --heap-reuse --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// ---- What a header would say ------------------------------------------------------------------

// A stack of numbers for up to STACK_USERS threads, after R. K. Treiber (1986) and M. M. Michael
// (Hazard Pointers, IEEE TPDS 2004). No operation waits for another thread.
enum { STACK_USERS = 2 };

struct stack;

// What one thread needs to use a stack.
struct stack_user;

// An empty stack; NULL if there is no memory.
struct stack *stack_create(void);

// Frees the stack, its nodes and its users. Nobody uses it any more.
void stack_destroy(struct stack *stack);

// The user of that number, below STACK_USERS. A thread must not share it with another one.
struct stack_user *stack_user(struct stack *stack, int number);

// Puts a number on top; false if there is no memory.
bool stack_push(struct stack_user *user, int value);

// Takes the topmost number; false if the stack is empty.
bool stack_pop(struct stack_user *user, int *value);

// Whether the stack was empty at some moment during the call.
bool stack_is_empty(struct stack_user *user);

// Frees what this user has taken off and nobody follows any more; how many nodes are left.
int stack_collect(struct stack_user *user);

// ---- Implementation ---------------------------------------------------------------------------

#ifndef SEEDED
#define SEEDED 0
#endif

struct node {
    struct node *below;
    // Once it is retired; others may still read `below` then.
    struct node *next_retired;
    int value;
};

struct stack_user {
    struct stack *stack;
    // The node that this user follows, or NULL: its hazard pointer. Read by all others.
    _Atomic(struct node *) announced;
    // Nodes that this user has taken off the stack and not yet freed, linked by `next_retired`.
    struct node *retired;
    int retired_count;
};

struct stack {
    _Atomic(struct node *) top;
    struct stack_user users[STACK_USERS];
};

// A user frees only when so many nodes wait for it, as each attempt looks at all announcements.
enum { COLLECT_AT = 1 };

struct stack *stack_create(void) {
    struct stack *stack = malloc(sizeof *stack);
    if (!stack)
        return NULL;
    atomic_init(&stack->top, NULL);
    for (int i = 0; i < STACK_USERS; i++) {
        struct stack_user *user = &stack->users[i];
        user->stack = stack;
        atomic_init(&user->announced, NULL);
        user->retired = NULL;
        user->retired_count = 0;
    }
    return stack;
}

void stack_destroy(struct stack *stack) {
    if (!stack)
        return;
    struct node *node = atomic_load_explicit(&stack->top, memory_order_relaxed);
    for (struct node *below; node; node = below) {
        below = node->below;
        free(node);
    }
    for (int i = 0; i < STACK_USERS; i++) {
        node = stack->users[i].retired;
        for (struct node *next; node; node = next) {
            next = node->next_retired;
            free(node);
        }
    }
    free(stack);
}

struct stack_user *stack_user(struct stack *stack, int number) {
    assert(number >= 0 && number < STACK_USERS);
    return &stack->users[number];
}

// Announces the top, and returns it when it was the top after the announcement, too.
static struct node *protect_top(struct stack_user *user) {
    struct stack *stack = user->stack;
    for (;;) {
        struct node *node = atomic_load_explicit(&stack->top, memory_order_acquire);
        if (!node)
            return NULL;
        atomic_store_explicit(&user->announced, node, memory_order_relaxed); // @announce
#if SEEDED != 1
        atomic_thread_fence(memory_order_seq_cst);
#endif
#if SEEDED == 2
        return node;
#else
        if (node == atomic_load_explicit(&stack->top, memory_order_acquire))
            return node;
#endif
    }
}

static void unprotect(struct stack_user *user) {
    atomic_store_explicit(&user->announced, NULL, memory_order_release);
}

// Whether another user follows the node.
static bool is_announced(struct stack *stack, const struct node *node) {
    for (int i = 0; i < STACK_USERS; i++) {
        struct stack_user *user = &stack->users[i];
        if (atomic_load_explicit(&user->announced, memory_order_acquire) == node)
            return true;
    }
    return false;
}

int stack_collect(struct stack_user *user) {
    // Others may look for this user's announcements as it looks for theirs.
    atomic_thread_fence(memory_order_seq_cst);
    struct node *node = user->retired;
    user->retired = NULL;
    user->retired_count = 0;
    while (node) {
        struct node *next = node->next_retired;
        if (is_announced(user->stack, node)) { // @is-announced
            node->next_retired = user->retired;
            user->retired = node;
            user->retired_count++;
        } else {
            free(node); // @release
        }
        node = next;
    }
    return user->retired_count;
}

static void retire(struct stack_user *user, struct node *node) {
    node->next_retired = user->retired;
    user->retired = node;
    if (++user->retired_count >= COLLECT_AT)
        stack_collect(user);
}

bool stack_push(struct stack_user *user, int value) {
    struct stack *stack = user->stack;
    struct node *node = malloc(sizeof *node); // @grow
    if (!node)
        return false;
    node->value = value;
    node->below = atomic_load_explicit(&stack->top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&stack->top, &node->below, node,
                                                  memory_order_release, memory_order_relaxed))
        ;
    return true;
}

bool stack_pop(struct stack_user *user, int *value) {
    struct stack *stack = user->stack;
    for (;;) {
        struct node *node = protect_top(user);
        if (!node)
            return false;
        struct node *below = node->below; // @below
        if (atomic_compare_exchange_strong_explicit(&stack->top, &(struct node *){node}, below,
                                                    memory_order_seq_cst, memory_order_relaxed)) {
            *value = node->value;
            unprotect(user);
            retire(user, node);
            return true;
        }
    }
}

bool stack_is_empty(struct stack_user *user) {
    return !atomic_load_explicit(&user->stack->top, memory_order_acquire);
}

// ---- Harness ----------------------------------------------------------------------------------

static struct stack *shared;

// What one thread can see of the stack by itself.
static void test_alone(struct stack_user *user) {
    int value;
    assert(stack_is_empty(user) && !stack_pop(user, &value));
    for (int i = 0; i < 3; i++)
        assert(stack_push(user, i));
    for (int i = 2; i >= 0; i--)
        assert(stack_pop(user, &value) && value == i);
    assert(stack_is_empty(user) && stack_collect(user) == 0);
}

static void *pop_one(void *taken) {
    if (!stack_pop(stack_user(shared, 0), taken))
        *(int *)taken = 0;
    return NULL;
}

// Takes two numbers off, and puts the second one back: as good as one pop to whoever looks on.
static void *pop_two_and_push(void *taken) {
    struct stack_user *user = stack_user(shared, 1);
    int first = 0, second = 0;
    if (stack_pop(user, &first) && stack_pop(user, &second))
        stack_push(user, second);
    *(int *)taken = first;
    return NULL;
}

int main(void) {
    shared = stack_create();
    assert(shared);
    struct stack_user *user = stack_user(shared, 0);
    test_alone(user);
    for (int i = 0; i < 3; i++)
        stack_push(user, 1 << i);

    pthread_t threads[2];
    int taken[2];
    pthread_create(&threads[0], NULL, pop_one, &taken[0]);
    pthread_create(&threads[1], NULL, pop_two_and_push, &taken[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);

    // Each number was taken once, or is still there.
    int sum = taken[0] + taken[1], value;
    for (int i = 0; i < 3 && stack_pop(user, &value); i++)
        sum += value;
    assert(sum == 1 + 2 + 4);
    assert(stack_is_empty(user));
    stack_destroy(shared);
    return 0;
}
