//@ why: The deque of Chase and Lev: the owner pushes and takes at the bottom, a thief takes at the
//@      top. The owner must lower the bottom before it looks at the top, else both get the last
//@      item: a full fence, on TSO as on PSO. An item must be written before the bottom is raised.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_TAKE
//@ why: The lowered bottom waits in the buffer while the owner looks at the top: the thief sees the
//@      old bottom, and both take the second item, the owner without a compare-and-swap.
//@ verdict: violations
//@ models: tso breaks, pso breaks
//@ assertion: twice, twice
//@ run: -DNO_PUSH
//@ why: The thief sees the bottom raised, and takes what was in the place before, 0, which is no
//@      item to it. The item is lost: got by nobody, where under SC each is got once. Nobody gets
//@      one twice, since the fence of the owner is there.
//@ verdict: violations
//@ models: pso shows
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_TAKE
#define LOWERED()
#else
#define LOWERED() FENCE()
#endif
#ifdef NO_PUSH
#define RAISE ST
#else
#define RAISE RELEASE
#endif
static atomic_int top, bottom, items[2], got[3];

static void push(int item) {
    int end = LD(bottom);
    ST(items[end], item);
    RAISE(bottom, end + 1);
}

static int take(void) {
    int end = LD(bottom) - 1;
    ST(bottom, end);
    LOWERED();
    int begin = LD(top);
    if (begin > end) {
        ST(bottom, end + 1);
        return 0;
    }
    int item = LD(items[end]);
    if (begin == end) {
        if (!atomic_compare_exchange_strong_explicit(&top, &begin, begin + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            item = 0;
        ST(bottom, end + 1);
    }
    return item;
}

static int steal(void) {
    int begin = ACQUIRE(top);
    FENCE();
    int end = ACQUIRE(bottom);
    if (begin >= end)
        return 0;
    int item = LD(items[begin]);
    return atomic_compare_exchange_strong_explicit(&top, &begin, begin + 1, memory_order_seq_cst,
                                                   memory_order_relaxed)
               ? item
               : -1;
}

static void get(int item) {
    assert(item != 0);
    assert(atomic_fetch_add_explicit(&got[item], 1, memory_order_relaxed) == 0); // @twice
}

static void *first(void *unused) {
    push(1);
    push(2);
    for (int round = 0; round < 2; round++) {
        int item = take();
        if (item)
            get(item);
    }
    return unused;
}

static void *second(void *unused) {
    for (int round = 0; round < 2; round++) {
        if (LD(bottom) <= LD(top))
            continue;
        int begin = LD(top);
        int item = steal();
        if (item > 0)
            get(item);
        (void)begin;
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
