//@ why: The lock of Peterson: the flags have to be seen before they are looked at, on TSO as on
//@      PSO: a full fence. Who leaves gives its flag back by a store, which PSO orders behind the
//@      critical section by the release alone.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_FENCE
//@ verdict: violations
//@ models: tso breaks, pso breaks
//@ assertion: fails, fails
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

#ifdef NO_FENCE
#define ENTER()
#else
#define ENTER() FENCE()
#endif
#ifdef NO_RELEASE
#define LEAVE ST
#else
#define LEAVE RELEASE
#endif
static atomic_int flag[2], turn;
static atomic_int inside;

static void run(int me) {
    ST(flag[me], 1);
    RELEASE(turn, !me);
    ENTER();
    while (ACQUIRE(flag[!me]) && ACQUIRE(turn) == !me)
        ;
    ST(inside, LD(inside) + 1);
    assert(LD(inside) == 1); // @fails
    ST(inside, LD(inside) - 1);
    LEAVE(flag[me], 0);
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
