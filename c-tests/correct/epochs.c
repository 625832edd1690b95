//@ why: A reader says that it is active before it follows a pointer, and the writer waits for
//@      readers that are before it wipes what it has unlinked: both have to be seen before the
//@      look, on TSO as on PSO.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_ENTER
//@ verdict: violations
//@ models: tso breaks, pso breaks
//@ assertion: fails, fails
//@ run: -DNO_WAIT
//@ why: The new pointer and the wiped value may both wait when the writer has looked: the reader,
//@      active by now, still reads the old pointer, then what it points to, wiped, also where the
//@      two take effect in order.
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

#ifdef NO_ENTER
#define ENTERED()
#else
#define ENTERED() FENCE()
#endif
#ifdef NO_WAIT
#define UNLINKED()
#else
#define UNLINKED() FENCE()
#endif
static atomic_int old = 3, new = 4, active;
static atomic_int *_Atomic current = &old;

static void *first(void *unused) {
    ST(active, 1);
    ENTERED();
    assert(LD(*ACQUIRE(current)) != 0); // @fails
    RELEASE(active, 0);
    return unused;
}

static void *second(void *unused) {
    RELEASE(current, &new);
    UNLINKED();
    while (ACQUIRE(active))
        ;
    ST(old, 0);
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
