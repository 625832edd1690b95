//@ why: A queue of one producer and one consumer. The producer may look at the head before its
//@      tail is seen, and the consumer at the tail before its head is: each then sees less than
//@      there is, and tries again. The tail must not be seen before the slot: PSO keeps that order
//@      by the release alone, TSO by itself.
//@ run:
//@ verdict: clean
//@ models: tso harmless, pso harmless
//@ run: -DNO_PUBLISH
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

#ifdef NO_PUBLISH
#define PUBLISH ST
#else
#define PUBLISH RELEASE
#endif
enum { SLOTS = 2, ITEMS = 3 };
static int slots[SLOTS];
static atomic_uint head, tail;

static int put(int item) {
    unsigned end = LD(tail);
    if (end - ACQUIRE(head) == SLOTS)
        return 0;
    slots[end % SLOTS] = item;
    PUBLISH(tail, end + 1);
    return 1;
}

static int take(int *item) {
    unsigned begin = LD(head);
    if (ACQUIRE(tail) == begin)
        return 0;
    *item = slots[begin % SLOTS];
    RELEASE(head, begin + 1);
    return 1;
}

static void *first(void *unused) {
    for (int item = 1; item <= ITEMS; item++)
        while (!put(item))
            ;
    return unused;
}

static void *second(void *unused) {
    for (int wanted = 1; wanted <= ITEMS; wanted++) {
        int item;
        while (!take(&item))
            ;
        assert(item == wanted); // @fails
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
