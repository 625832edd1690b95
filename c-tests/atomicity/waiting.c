//@ why: A round of a wait loop that reads one variable before another thread's store and one behind
//@      another store of that thread is a cycle: the round, as a transaction, comes before the
//@      first store by one variable, and after the second one by the other; the stores are in
//@      program order. Interleavings show such a round. Execution graphs leave rounds out that do
//@      nothing, and so leave it open; in a loop of two rounds they find it.
//@ run: --monitor sc-atomicity --preemptions none
//@ verdict: violations
//@ sc-atomicity: look-a -> store-a & store-a -> store-b & store-b -> look-b
//@ run: --monitor sc-atomicity --explorer dpor
//@ verdict: violations
//@ sc-atomicity: look-a -> store-a & store-a -> store-b & store-b -> look-b
//@ run: --model tso --monitor tso-atomicity
//@ verdict: incomplete
//@ undecided: yes
//@ run: -DROUNDS=2 --model tso --monitor tso-atomicity
//@ verdict: violations
//@ tso-atomicity: look-a -> store-a & store-a -> store-b & store-b -> look-b
#include <fencehound.h>
#include <pthread.h>
#include <stddef.h>

volatile int a, b;

static void *looks(void *unused) {
    int both;
#ifdef ROUNDS
    for (int round = 0; round < ROUNDS; round++) {
#else
    do {
#endif
        fh_atomic_begin();
        int first = a;  // @look-a
        int second = b; // @look-b
        fh_atomic_end();
        both = first && second;
#ifdef ROUNDS
        if (both)
            break;
    }
#else
    } while (!both);
#endif
    return unused;
}

static void *stores(void *unused) {
    a = 1; // @store-a
    b = 1; // @store-b
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, looks, NULL);
    pthread_create(&threads[1], NULL, stores, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
