//@ why: Each thread raises its flag and looks at the other one: at least one sees the other. Each
//@      needs its full fence, on TSO as on PSO.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_LEFT
//@ why: One fence of two is not enough: left goes ahead of its own flag, and neither sees the
//@      other, which no interleaving ends with.
//@ verdict: violations
//@ models: tso shows, pso shows
//@ run: -DNO_RIGHT
//@ verdict: violations
//@ models: tso shows, pso shows
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_LEFT
#define LEFT()
#else
#define LEFT() FENCE()
#endif
#ifdef NO_RIGHT
#define RIGHT()
#else
#define RIGHT() FENCE()
#endif
static atomic_int left, right;
static int left_saw, right_saw;

static void *first(void *unused) {
    ST(left, 1);
    LEFT();
    left_saw = LD(right);
    return unused;
}

static void *second(void *unused) {
    ST(right, 1);
    RIGHT();
    right_saw = LD(left);
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
