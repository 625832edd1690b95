//@ why: The last thing that the thread does is a sequentially consistent store: it waits for its
//@      commit and ends. Whoever has joined it comes after the commit, so there is one class.
//@ verdict: clean
//@ executions: 1
//@ outcomes: main: 3
//@ run: --model tso --explorer dpor
//@ run: --model pso --explorer dpor
//@ run: -DFENCED --model tso --explorer dpor
//@ run: -DFENCED --model pso --explorer dpor
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int last;

static void *store(void *argument) {
#ifdef FENCED
    atomic_store_explicit(&last, 3, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
#else
    last = 3;
#endif
    return argument;
}

static void *nothing(void *argument) { return argument; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, store, 0);
    pthread_create(&b, 0, nothing, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    fh_observe(last);
    return 0;
}
