//@ why: An atomic block of SV-COMP is indivisible: the store of the other thread is before or
//@      behind it. As a transaction it is not: the store can come between its load and its store,
//@      and this is the cycle.
//@ run: --monitor sc-atomicity,tso-atomicity
//@ verdict: clean
//@ run: --monitor sc-atomicity --sv-comp-transactions
//@ verdict: violations
//@ sc-atomicity: increment -> store & store -> increment
//@ run: --monitor sc-atomicity --sv-comp-transactions --explorer dpor
//@ verdict: violations
//@ sc-atomicity: increment -> store & store -> increment

#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x;

static void *increments(void *unused) {
    __VERIFIER_atomic_begin();
    x++; // @increment
    __VERIFIER_atomic_end();
    return unused;
}

static void *stores(void *unused) {
    x = 10; // @store
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, increments, 0);
    pthread_create(&threads[1], 0, stores, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
