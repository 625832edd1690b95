//@ why: A transaction inside another one is a part of it, whether both are marked by calls,
//@      or one is a function: so the store of the other thread can come between any two of the
//@      four accesses of the increments. It comes before the store of the first increment, or
//@      behind it and before an access of the second one. Of several conflicts that lead from
//@      one transaction to another a cycle tells that of the last store, if it is one: so the
//@      load of the second increment is not told. With the increments in two transactions the
//@      store can still come between load and store of one of them.
//@ run: --monitor sc-atomicity
//@ verdict: violations
//@ sc-atomicity: once -> other & other -> once, once -> other & other -> twice
//@ run: --monitor sc-atomicity -DFUNCTION
//@ verdict: violations
//@ sc-atomicity: once -> other & other -> once, once -> other & other -> twice
//@ run: --monitor sc-atomicity -DAPART
//@ verdict: violations
//@ sc-atomicity: once -> other & other -> once, twice -> other & other -> twice
//@ run: --monitor sc-atomicity -DLOCKED
//@ verdict: clean

#include <fencehound.h>
#include <pthread.h>

static int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef FUNCTION
#define OUTER FH_ATOMIC
#else
#define OUTER
#endif

static void begin(void) {
#if !defined APART && !defined FUNCTION
    fh_atomic_begin();
#endif
}

static void end(void) {
#if !defined APART && !defined FUNCTION
    fh_atomic_end();
#endif
}

static void enter(void) {
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void) {
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
}

OUTER static void twice(void) {
    begin();
    enter();
    fh_atomic_begin();
    x++; // @once
    fh_atomic_end();
    fh_atomic_begin();
    x++; // @twice
    fh_atomic_end();
    leave();
    end();
}

static void *increments(void *unused) {
    twice();
    return unused;
}

static void *stores(void *unused) {
    enter();
    x = 10; // @other
    leave();
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, increments, 0);
    pthread_create(&other, 0, stores, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    (void)lock;
    return 0;
}
