//@ why: A queue for many producers and one consumer (Vyukov): who appends exchanges the last node,
//@      then links its own behind it. It must be filled before it is linked.
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
#define LINK ST
#else
#define LINK RELEASE
#endif
struct node {
    int value;
    struct node *_Atomic next;
};
static struct node nodes[3];
static struct node *_Atomic last = &nodes[0];

static void run(int me) {
    struct node *own = &nodes[me + 1];
    own->value = me + 1;
    struct node *before = atomic_exchange_explicit(&last, own, memory_order_relaxed);
    LINK(before->next, own);
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
    struct node *seen = ACQUIRE(nodes[0].next);
    if (seen)
        assert(seen->value == seen - nodes); // @fails
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
