//@ why: Figure 6 of the technical report to TACAS 2011. The first thread reads its own store before
//@      that is in memory, and then b, before the other one sets it; the store to a then comes
//@      after the other's (figure 7). SOBER's axioms as printed forbid that, and it reports
//@      nothing; corrected, it does. Under PSO b may also be late, which the first thread notices
//@      if its a comes after the other's.
//@ run: --preemptions none
//@ verdict: violations
//@ tso: set-one -> set-two
//@ pso: set-one -> set-two, set-b -> get-b
//@ run: --preemptions none --monitor sober
//@ why: That b may be read before it is set is what figure 7 shows. SOBER looks at loads alone.
//@ verdict: violations
//@ sober: set-b -> get-b
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

volatile int a, b;
atomic_int c;

static void *one(void *unused) {
    a = 1; // @set-one
    if (a == 1)
        (void)b; // @get-b
    return unused;
}

static void *two(void *unused) {
    b = 1; // @set-b
    a = 2; // @set-two
    atomic_exchange_explicit(&c, 1, memory_order_relaxed);
    (void)a;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
