//@ why: Orders that are enough for the lock of Mellor-Crummey and Scott: the exchange acquires
//@      from the one before and releases the node; the hand-over goes by the flag, or, where
//@      nobody waits, by the exchange that gives the lock back. That a node is linked releases
//@      its flag.
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

#ifdef WEAKEST
#define O(order) memory_order_##order
#else
#define O(order) memory_order_seq_cst
#endif

struct node {
    struct node *_Atomic next;
    atomic_int waits;
};

static struct node *_Atomic last;
static struct node nodes[2];
static int counter;

static void lock(struct node *me) {
    atomic_store_explicit(&me->next, 0, O(relaxed));
    struct node *before = atomic_exchange_explicit(&last, me, O(acq_rel));
    if (before) {
        atomic_store_explicit(&me->waits, 1, O(relaxed));
        atomic_store_explicit(&before->next, me, O(release));
        while (atomic_load_explicit(&me->waits, O(acquire))) {
        }
    }
}

static void unlock(struct node *me) {
    struct node *next = atomic_load_explicit(&me->next, O(acquire));
    if (!next) {
        struct node *expected = me;
        if (atomic_compare_exchange_strong_explicit(&last, &expected, 0, O(release), O(relaxed)))
            return;
        while (!(next = atomic_load_explicit(&me->next, O(acquire)))) {
        }
    }
    atomic_store_explicit(&next->waits, 0, O(release));
}

static void *run(void *me) {
    lock(me);
    counter++;
    unlock(me);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, &nodes[0]);
    pthread_create(&b, 0, run, &nodes[1]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
}
