//@ why: A loop that adds until somebody says stop is no wait, and has no end of its own: it uses up
//@      the room of an execution, which is said, and by which loop. With at most n rounds it sees
//@      the stop in one of n + 1 looks, and its executions are as many.
//@ run: --model power
//@ verdict: incomplete
//@ stopped-by: events
//@ busiest-loop: loop
//@ run: --model power --unroll 3
//@ verdict: clean
//@ executions: 4
//@ run: --model tso --unroll 5
//@ verdict: clean
//@ executions: 6
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop, count;

static void *adds(void *unused) {
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) // @loop
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, adds, 0);
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    pthread_join(a, 0);
}
