//@ why: Each thread puts its number at a place that it takes from a counter without any lock
//@      (SV-COMP). Two may take the same place, so an element may stay 0: the assertion can fail
//@      under SC already. With an indivisible increment it cannot, and the places are different, so
//@      no store waits past a load of what others store: robust.
//@ run: --monitor none --preemptions 2
//@ verdict: violations
//@ assertion: filled
//@ run: -DFENCED --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 3 };

volatile int array[THREADS];
#ifdef FENCED
atomic_int next;
#define TAKE() atomic_fetch_add_explicit(&next, 1, memory_order_relaxed)
#else
volatile int next;
#define TAKE() next++
#endif

static void *body(void *unused) {
    array[TAKE()] = 1;
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += array[i];
    assert(sum == THREADS); // @filled
    return 0;
}
