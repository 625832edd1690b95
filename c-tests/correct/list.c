//@ why: A queue of one producer and one consumer as a list: the consumer follows the links, each
//@      of which must be seen after the node. The producer may look at what was received before
//@      its link is seen, and the consumer at the next link before it says what it received: each
//@      finds less. Whether the producer fills a node again makes no difference, as it holds the
//@      same value.
//@ run:
//@ verdict: clean
//@ models: tso harmless, pso harmless
//@ run: -DNO_LINK
//@ verdict: violations
//@ models: tso harmless, pso breaks
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
static atomic_int received;

static void *first(void *unused) {
    struct node *last = &nodes[0];
    for (int index = 1; index <= 2; index++) {
        nodes[index].value = index;
        LINK(last->next, &nodes[index]);
        last = &nodes[index];
        if (LD(received) == index)
            last->value = index;
    }
    return unused;
}

static void *second(void *unused) {
    struct node *last = &nodes[0];
    for (int wanted = 1; wanted <= 2; wanted++) {
        struct node *next;
        while (!(next = ACQUIRE(last->next)))
            ;
        assert(next->value == wanted); // @fails
        ST(received, wanted);
        last = next;
    }
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
