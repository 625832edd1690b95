//@ why: A ring of two slots between one producer and one consumer. The producer's store of the
//@      slot may pass that of the tail on PSO and POWER, and the consumer's load of the slot that
//@      of the tail on POWER; and what the consumer gives back may be overwritten before it is
//@      read. Release stores and acquire loads of both ends order all of it; TSO does so by itself.
//@ run: --model power
//@ verdict: violations
//@ assertion: item
//@ run: --model pso
//@ verdict: violations
//@ assertion: item
//@ run: --model tso
//@ verdict: clean
//@ run: -DREPAIRED --model power
//@ verdict: clean
//@ run: -DREPAIRED --model pso
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef REPAIRED
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#else
#define ACQUIRE memory_order_relaxed
#define RELEASE memory_order_relaxed
#endif

enum { SLOTS = 2, ITEMS = 3 };

static atomic_uint head, tail;
static int slot[SLOTS];

static void *produce(void *unused) {
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&head, ACQUIRE) == SLOTS) {
        }
        slot[i % SLOTS] = (int)i + 1;
        atomic_store_explicit(&tail, i + 1, RELEASE);
    }
    return unused;
}

static void *consume(void *unused) {
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&tail, ACQUIRE) == i) {
        }
        assert(slot[i % SLOTS] == (int)i + 1); // @item
        atomic_store_explicit(&head, i + 1, RELEASE);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, produce, 0);
    pthread_create(&b, 0, consume, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
