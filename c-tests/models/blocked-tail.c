//@ why: Figure 11 of the CAV 2016 paper, with four stores in place of ten. Unless it
//@      sees the other thread, each stores four times to one variable: C(8, 4) = 70 orders
//@      if neither sees the other, and one for each of the three other outcomes. Full fences
//@      leave those three.
//@ run: --model power
//@ verdict: clean
//@ executions: 73
//@ run: --model tso
//@ verdict: clean
//@ executions: 73
//@ run: -DFENCED --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DFENCED --model tso
//@ verdict: clean
//@ executions: 3
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE
#endif
#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static atomic_int x, y, z;

static void *left(void *unused) {
    STORE(&x, 1);
    FENCE;
    if (LOAD(&y) != 1)
        for (int i = 0; i < 4; i++)
            STORE(&z, 1);
    return unused;
}

static void *right(void *unused) {
    STORE(&y, 1);
    FENCE;
    if (LOAD(&x) != 1)
        for (int i = 0; i < 4; i++)
            STORE(&z, 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
