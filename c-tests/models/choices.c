//@ why: One thread stores one of three numbers, another one chooses one of two and loads: before
//@      the store, or after it: 3 . 2 . 2 = 12 executions. The third number is one too many.
//@ run: --model power
//@ verdict: clean
//@ executions: 12
//@ run: --model tso
//@ verdict: clean
//@ executions: 12
//@ run: -DFEW --model power
//@ verdict: violations
//@ executions: 12
//@ assertion: few
#include <assert.h>
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FEW
#define MOST 2
#else
#define MOST 3
#endif

static atomic_int x;

static void *writer(void *unused) {
    atomic_store_explicit(&x, 1 + (int)fh_choose(3), memory_order_relaxed);
    return unused;
}

static void *reader(void *unused) {
    int most = fh_choose(2) ? MOST : 3;
    int seen = atomic_load_explicit(&x, memory_order_relaxed);
    assert(seen <= most); // @few
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
