//@ why: The two programs of section 4.2 of the TACAS 2016 paper, which are serializable under
//@      TSO. Store buffering without transactions has executions that are none of SC, so SC
//@      executions leave it open; but each of its four events is a transaction, and the store of
//@      a thread does not conflict with its load. The other one is robust. Under SC the
//@      transaction can be in the midst of the other thread's two events: its load before the
//@      store, and its store behind the load. Under TSO the store and the load of that thread do
//@      not conflict, so this is no cycle.
//@ run: -DBUFFERING --monitor sc-atomicity --preemptions none
//@ verdict: clean
//@ run: -DBUFFERING --monitor tso-atomicity --preemptions none
//@ verdict: incomplete
//@ undecided: yes
//@ run: -DBUFFERING --model tso --monitor tso-atomicity
//@ verdict: clean
//@ run: --monitor sc-atomicity --preemptions none
//@ verdict: violations
//@ sc-atomicity: load-a -> store-a & store-a -> load-b & load-b -> store-b
//@ run: --monitor tso-atomicity --preemptions none
//@ verdict: clean
//@ run: --monitor tso-atomicity --explorer dpor
//@ verdict: clean
//@ run: --model tso --monitor tso-atomicity
//@ verdict: clean

#include <fencehound.h>
#include <pthread.h>

static int a, b;

static void *left(void *unused) {
    a = 1;                  // @store-a
    return (void *)(long)b; // @load-b
}

#ifdef BUFFERING
static void *right(void *unused) {
    b = 1;
    return (void *)(long)a;
}
#else
static void *right(void *unused) {
    fh_atomic_begin();
    long seen = a; // @load-a
    b = 1;         // @store-b
    fh_atomic_end();
    return (void *)seen;
}
#endif

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, left, 0);
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
