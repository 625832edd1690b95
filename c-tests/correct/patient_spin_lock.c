//@ why: A lock that is looked at before it is taken. Its holder gives it back by a store, which
//@      PSO orders behind the critical section by the release alone.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_RELEASE
//@ why: Under SC each balance is 3 in the end; an update that is lost leaves less.
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

#ifdef NO_RELEASE
#define UNLOCK ST
#else
#define UNLOCK RELEASE
#endif
static atomic_int locked;
static int balance[2];

static void lock(void) {
    int open = 0;
    while (LD(locked) || !atomic_compare_exchange_strong_explicit(
                             &locked, &open, 1, memory_order_acquire, memory_order_relaxed))
        open = 0;
}

static void run(int me) {
    lock();
    balance[me] += 1;
    balance[!me] += 2;
    UNLOCK(locked, 0);
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
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
