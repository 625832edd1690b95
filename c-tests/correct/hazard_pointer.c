//@ why: A reader announces what it is about to look at, and looks whether it is still there; who
//@      removes it looks for announcements before it wipes it. Each must be seen before the look:
//@      two full fences, each of which both models need.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_ANNOUNCE
//@ verdict: violations
//@ models: tso breaks, pso breaks
//@ assertion: fails, fails
//@ run: -DNO_REMOVE
//@ verdict: violations
//@ models: tso breaks, pso breaks
//@ assertion: fails, fails
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_ANNOUNCE
#define ANNOUNCED()
#else
#define ANNOUNCED() FENCE()
#endif
#ifdef NO_REMOVE
#define REMOVED()
#else
#define REMOVED() FENCE()
#endif
static atomic_int values[2] = {5, 7};
static atomic_int *_Atomic current = &values[0];
static atomic_int *_Atomic hazard;

static void *first(void *unused) {
    atomic_int *seen = LD(current);
    ST(hazard, seen);
    ANNOUNCED();
    if (LD(current) == seen)
        assert(LD(*seen) != 0); // @fails
    RELEASE(hazard, NULL);
    return unused;
}

static void *second(void *unused) {
    atomic_int *removed = LD(current);
    ST(current, &values[1]);
    REMOVED();
    while (ACQUIRE(hazard) == removed)
        ;
    ST(*removed, 0);
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
