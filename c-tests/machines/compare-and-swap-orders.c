//@ why: A compare-and-swap whose order of failure is sequentially consistent is so as a whole, as
//@      compilers make it, though its order of success is acquire: the store before it is in memory
//@      when it takes effect. Where neither orders stores, PSO lets the store wait (WEAK).
//@ run: --explorer dpor --model pso --preemptions none
//@ verdict: clean
//@ run: --explorer rsmc --model pso
//@ verdict: clean
//@ run: -DWEAK --explorer dpor --model pso --preemptions none
//@ verdict: violations
//@ assertion: seen
//@ run: -DWEAK --explorer rsmc --model pso
//@ verdict: violations
//@ assertion: seen
//@ run: -DWEAK --explorer dpor --model tso --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define FAILURE memory_order_acquire
#else
#define FAILURE memory_order_seq_cst
#endif

static volatile int data;
static atomic_int flag;

static void *writer(void *unused) {
    int expected = 0;
    data = 1;
    atomic_compare_exchange_strong_explicit(&flag, &expected, 1, memory_order_acquire, FAILURE);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (atomic_load_explicit(&flag, memory_order_acquire))
        assert(data == 1); // @seen
    pthread_join(thread, NULL);
    return 0;
}
