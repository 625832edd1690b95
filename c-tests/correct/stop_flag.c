//@ why: A worker counts until it is told to stop, then says so; what it has counted must be seen
//@      by then. That it is told to stop before something else that the other thread writes is seen
//@      matters to nobody.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_DONE
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

#ifdef NO_DONE
#define DONE ST
#else
#define DONE RELEASE
#endif
static atomic_int stop, stopped, noted;
static int counted;

static void *first(void *unused) {
    for (int round = 0; round < 2 && !LD(stop); round++)
        counted = round + 1;
    counted = -1;
    DONE(stopped, 1);
    return unused;
}

static void *second(void *unused) {
    ST(stop, 1);
    ST(noted, 1);
    while (!ACQUIRE(stopped))
        ;
    assert(counted == -1); // @fails
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
