//@ why: The lock of Mellor-Crummey and Scott: who comes appends a node of its own, and waits there
//@      until the one before it hands over. A node must be ready before it is linked, and the
//@      critical section over before the lock is handed over: releases, without which PSO loses
//@      the hand-over or what was written.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_LINK
//@ why: The node says that it waits after it was told to go on: its owner waits for ever, whichever
//@      of the two that is, and main for it.
//@ verdict: violations
//@ models: pso breaks
//@ livelock: waits first, waits second
//@ run: -DNO_HAND_OVER
//@ why: Of the two stores of the critical section the first may have taken effect, and the second
//@      not, when the lock is handed over.
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
#define LINK ST
#else
#define LINK RELEASE
#endif
#ifdef NO_HAND_OVER
#define HAND_OVER ST
#else
#define HAND_OVER RELEASE
#endif
struct node {
    struct node *_Atomic next;
    atomic_int waits;
};
static struct node nodes[2];
static struct node *_Atomic last;
static int inside;

static void run(int me) {
    struct node *own = &nodes[me];
    struct node *before = atomic_exchange_explicit(&last, own, memory_order_relaxed);
    if (before) {
        ST(own->waits, 1);
        LINK(before->next, own);
        while (ACQUIRE(own->waits)) // @waits
            ;
    }
    assert(inside == 0); // @fails
    inside = 1;
    inside = 0;
    struct node *expected = own;
    if (!ACQUIRE(own->next)) {
        if (atomic_compare_exchange_strong_explicit(&last, &expected, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while (!ACQUIRE(own->next))
            ;
    }
    HAND_OVER(ACQUIRE(own->next)->waits, 0);
}

static void *first(void *unused) {
    run(0);
    return unused;
}

static void *second(void *unused) {
    run(1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL); // @first
    pthread_join(b, NULL); // @second
    return 0;
}
