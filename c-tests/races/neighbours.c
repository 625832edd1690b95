//@ why: Accesses race if they have a byte in common. The two halves of a variable are two
//@      locations, whatever else is accessed whole before the threads begin and after they end;
//@      a store of the whole variable has bytes in common with both. Atomic accesses do not race
//@      with each other, but an atomic one does with one that is not.
//@ run: --monitor race -DSECOND=halves --preemptions none
//@ verdict: clean
//@ run: --monitor race -DSECOND=whole --preemptions none
//@ verdict: violations
//@ race: first whole
//@ run: --monitor race -DFIRST_ATOMIC -DSECOND=atomically --preemptions none
//@ verdict: clean
//@ run: --monitor race -DSECOND=atomically --preemptions none
//@ verdict: violations
//@ race: first atomic
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

union {
    uint64_t whole;
    uint32_t halves[2];
} x;

static void *first(void *unused) {
#ifdef FIRST_ATOMIC
    __atomic_store_n(&x.halves[0], 1, __ATOMIC_RELAXED);
#else
    x.halves[0] = 1; // @first
#endif
    return unused;
}

static void halves(void) { x.halves[1] = 1; }
static void whole(void) {
    x.whole = 1; // @whole
}
static void atomically(void) {
    __atomic_fetch_add(&x.halves[0], 1, __ATOMIC_RELAXED); // @atomic
}

static void *second(void *unused) {
    (void)halves, (void)whole, (void)atomically;
    SECOND();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    x.whole = 0;
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return x.whole == 0;
}
