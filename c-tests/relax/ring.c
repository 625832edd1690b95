//@ why: Orders that are enough for a ring of one producer and one consumer, as its authors
//@      have them: each side reads its own index as it likes, and acquires what the other one
//@      releases. Each of these is needed: slots are not atomic, and would race.
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

enum { SLOTS = 1, ITEMS = 2 };

static int slots[SLOTS];
static atomic_uint head, tail;

static int put(int value) {
    unsigned at = atomic_load_explicit(&tail, O(relaxed));
    if (at - atomic_load_explicit(&head, O(acquire)) == SLOTS)
        return 0;
    slots[at % SLOTS] = value;
    atomic_store_explicit(&tail, at + 1, O(release));
    return 1;
}

static int get(int *value) {
    unsigned at = atomic_load_explicit(&head, O(relaxed));
    if (atomic_load_explicit(&tail, O(acquire)) == at)
        return 0;
    *value = slots[at % SLOTS];
    atomic_store_explicit(&head, at + 1, O(release));
    return 1;
}

static void *producer(void *unused) {
    for (int i = 1; i <= ITEMS; i++)
        put(i);
    return unused;
}

static void *consumer(void *unused) {
    int last = 0;
    for (int i = 1; i <= ITEMS; i++) {
        int value;
        if (get(&value)) {
            assert(value > last);
            last = value;
        }
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
