//@ why: THREADS threads take a lock by an exchange, in THREADS! orders; an exchange that
//@      fails changes nothing. What an order of them can be left for is an exchange that
//@      fails: that of one of the later threads while one of the earlier ones holds the
//@      lock. So there is no more than one run for each pair of threads, beside the order:
//@      THREADS! * (1 + THREADS * (THREADS - 1) / 2).
//@ verdict: clean
//@ run: -DTHREADS=3 --explorer dpor
//@ executions: 6
//@ runs: 24
//@ run: -DTHREADS=3 --explorer dpor --strict
//@ executions: 6
//@ run: -DTHREADS=5 --explorer dpor
//@ executions: 120
//@ runs: 1320
//@ run: -DTHREADS=6 --explorer dpor
//@ executions: 720
//@ runs: 11520
#include <pthread.h>
#include <stdatomic.h>

atomic_int held;
int entered;

static void *body(void *unused) {
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
        ;
    entered++;
    atomic_store_explicit(&held, 0, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, body, NULL);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
