//@ why: Readers count themselves up and down, a writer waits until there is none and shuts the
//@      door behind itself. The writer opens it by a store, which must not be seen before what it
//@      wrote.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_RELEASE
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

#ifdef NO_RELEASE
#define OPEN ST
#else
#define OPEN RELEASE
#endif
enum { WRITER = -1 };
static atomic_int state;
static int one, other;

static void *first(void *unused) {
    int free = 0;
    while (!atomic_compare_exchange_strong_explicit(&state, &free, WRITER, memory_order_acquire,
                                                    memory_order_relaxed))
        free = 0;
    one++;
    other++;
    OPEN(state, 0);
    return unused;
}

static void *second(void *unused) {
    int readers = LD(state);
    do
        while (readers == WRITER)
            readers = LD(state);
    while (!atomic_compare_exchange_weak_explicit(&state, &readers, readers + 1,
                                                  memory_order_acquire, memory_order_relaxed));
    assert(one == other); // @fails
    atomic_fetch_sub_explicit(&state, 1, memory_order_release);
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
