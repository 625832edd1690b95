//@ why: A structure is filled, then published by a pointer: readers follow it without a lock. PSO
//@      needs the release.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_PUBLISH
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

#ifdef NO_PUBLISH
#define PUBLISH ST
#else
#define PUBLISH RELEASE
#endif
struct settings {
    int width, height;
};
static struct settings old = {1, 1}, new;
static struct settings *_Atomic current = &old;
static atomic_int area;

static void *first(void *unused) {
    new.width = 2;
    new.height = 3;
    PUBLISH(current, &new);
    ST(area, LD(area) + 1);
    return unused;
}

static void *second(void *unused) {
    struct settings *seen = ACQUIRE(current);
    int size = seen->width * seen->height;
    assert(size == 1 || size == 6); // @fails
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
