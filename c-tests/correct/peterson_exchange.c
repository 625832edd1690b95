//@ why: The lock of Peterson with an exchange in the place of the store to the turn, which is a
//@      full fence; and with a plain store in the place of the exchange, which is none.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_EXCHANGE
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

#ifdef NO_EXCHANGE
#define GIVE_WAY(to) ST(turn, to)
#else
#define GIVE_WAY(to) atomic_exchange_explicit(&turn, to, memory_order_seq_cst)
#endif
static atomic_int flag[2], turn, inside;

static void run(int me) {
    ST(flag[me], 1);
    GIVE_WAY(!me);
    while (ACQUIRE(flag[!me]) && ACQUIRE(turn) == !me)
        ;
    ST(inside, LD(inside) + 1);
    assert(LD(inside) == 1); // @fails
    ST(inside, LD(inside) - 1);
    RELEASE(flag[me], 0);
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
