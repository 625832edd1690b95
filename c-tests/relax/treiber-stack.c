//@ why: Orders that are enough for Treiber's stack: a push releases its node, a pop acquires
//@      it, whether by its load or by an exchange that fails; a success cannot be weaker than
//@      that. What a push reads first it only passes on.
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
    struct node *next;
};

static struct node *_Atomic top;

static void push(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    struct node *old = atomic_load_explicit(&top, O(relaxed));
    do
        node->next = old;
    while (!atomic_compare_exchange_weak_explicit(&top, &old, node, O(release), O(relaxed)));
}

static int pop(void) {
    struct node *old = atomic_load_explicit(&top, O(acquire));
    while (old &&
           !atomic_compare_exchange_weak_explicit(&top, &old, old->next, O(acquire), O(acquire))) {
    }
    return old ? old->value : 0;
}

static int got[2];

static void *first(void *unused) {
    push(1);
    got[0] = pop();
    return unused;
}

static void *second(void *unused) {
    push(2);
    got[1] = pop();
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(got[0] + got[1] == 3);
}
