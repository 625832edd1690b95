//@ why: The lock of Dekker: each thread raises its flag and looks at the other one; if both are
//@      raised, the turn says who gives way. The flag must be seen before the look, each time that
//@      it is raised; PSO orders the lowered flag behind the critical section by the release
//@      alone.
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
#define RAISED()
#else
#define RAISED() FENCE()
#endif
#ifdef NO_RELEASE
#define LEAVE ST
#else
#define LEAVE RELEASE
#endif
static atomic_int flag[2], turn, inside;

static void run(int me) {
    ST(flag[me], 1);
    RAISED();
    while (ACQUIRE(flag[!me])) {
        if (ACQUIRE(turn) == me)
            continue;
        ST(flag[me], 0);
        while (ACQUIRE(turn) != me)
            ;
        ST(flag[me], 1);
        RAISED();
    }
    ST(inside, LD(inside) + 1);
    assert(LD(inside) == 1); // @fails
    ST(inside, LD(inside) - 1);
    ST(turn, !me);
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
