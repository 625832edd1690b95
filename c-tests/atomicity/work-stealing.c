//@ why: The owner of a deque takes at the bottom, a thief at the top: each claims the only item
//@      in one transaction and looks at the other's claim in the next one. The thief claims by a
//@      read-modify-write, which is a full fence; the owner by a store, which can wait while the
//@      owner looks at the top: then the owner's look comes before the thief's claim, and the
//@      thief's look before the owner's claim. bottom is written by the owner alone, top by the
//@      thief alone, once each, so under SC each look is before or behind the other's claim. A
//@      fence behind the owner's claim is all that is needed; then each transaction ends with
//@      what empties the buffer, or with no store at all, which the source shows.
//@      A thread's claim comes before its look, of which its first access is told.
//@ run: --monitor sc-atomicity --preemptions none
//@ verdict: clean
//@ run: --monitor tso-atomicity --preemptions none
//@ verdict: incomplete
//@ undecided: yes
//@ run: --model tso --monitor tso-atomicity
//@ verdict: violations
//@ tso-atomicity: own -> look-top & look-top -> claim-top & claim-top -> look-bottom
//@      & look-bottom -> claim-bottom
//@ run: -DFENCED --monitor sc-atomicity,tso-atomicity --preemptions none
//@ verdict: clean
//@ run: -DFENCED --monitor sc-atomicity,tso-atomicity --explorer dpor
//@ verdict: clean
//@ run: -DFENCED --model tso --monitor tso-atomicity
//@ verdict: clean

#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int bottom = 1, top;

static void *pops(void *unused) {
    fh_atomic_begin();
    int mine = atomic_load_explicit(&bottom, memory_order_relaxed) - 1; // @own
    atomic_store_explicit(&bottom, mine, memory_order_relaxed);         // @claim-bottom
#ifdef FENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    fh_atomic_end();
    fh_atomic_begin();
    mine = atomic_load_explicit(&bottom, memory_order_relaxed) >= atomic_load(&top); // @look-top
    fh_atomic_end();
    return (void *)(long)mine;
}

static void *steals(void *unused) {
    fh_atomic_begin();
    int mine = atomic_fetch_add(&top, 1); // @claim-top
    fh_atomic_end();
    fh_atomic_begin();
    mine = mine < atomic_load(&bottom); // @look-bottom
    fh_atomic_end();
    return (void *)(long)mine;
}

int main(void) {
    pthread_t threads[2];
    void *popped, *stolen;
    pthread_create(&threads[0], 0, pops, 0);
    pthread_create(&threads[1], 0, steals, 0);
    pthread_join(threads[0], &popped);
    pthread_join(threads[1], &stolen);
    return 0;
}
