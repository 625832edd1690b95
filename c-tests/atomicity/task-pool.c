//@ why: Figure 1 of the TACAS 2016 paper (its code is lost in the text and reconstructed): a
//@      pool of tasks from which one thread takes at the head and another one at the tail, each
//@      in two transactions. head is written by one thread alone, tail by the other one, each in
//@      one store; so under SC each transaction looks at the other's variable once, and comes
//@      before or after the other thread's claim as a whole. Under TSO both claims can wait in
//@      their buffers while both look: each look comes before the other's claim, and behind its
//@      own. So the SC executions leave it open, and those of TSO do not; both take the only
//@      task then, the second one finds a 0. With the looks alone this is the only cycle. A fence
//@      behind each claim makes the program robust, and one at the end of each transaction makes
//@      that known of the source.
//@ run: --monitor sc-atomicity --preemptions none
//@ verdict: clean
//@ run: --monitor tso-atomicity --preemptions none
//@ verdict: incomplete
//@ undecided: yes
//@ run: --monitor tso-atomicity --explorer dpor
//@ verdict: incomplete
//@ undecided: yes
//@ run: -DLOOKS --model tso --monitor tso-atomicity
//@ verdict: violations
//@ tso-atomicity: claim-head -> look-head & look-head -> claim-tail & claim-tail -> look-tail
//@      & look-tail -> claim-head
//@ run: --model tso
//@ verdict: violations
//@ assertion: took-head, took-tail
//@ run: -DFENCED --monitor sc-atomicity,tso-atomicity --preemptions none
//@ verdict: clean
//@ run: -DFENCED=2 --monitor sc-atomicity,tso-atomicity --explorer dpor
//@ verdict: clean
//@ run: -DFENCED --model tso --monitor tso-atomicity
//@ verdict: clean

#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

static int head, tail = 1;
#ifndef LOOKS
static int pool[1] = {1};
#endif

static void claimed(void) {
#ifdef FENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void taken(void) {
#if defined FENCED && FENCED == 2
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void *takes_from_the_head(void *unused) {
    fh_atomic_begin();
    head = head + 1; // @claim-head
    claimed();
    fh_atomic_end();
    fh_atomic_begin();
    if (head <= tail) { // @look-head
#ifndef LOOKS
        int task = pool[0];
        pool[0] = 0;
        fh_assert(task == 1); // @took-head
#endif
    }
    taken();
    fh_atomic_end();
    return unused;
}

static void *takes_from_the_tail(void *unused) {
    fh_atomic_begin();
    tail = tail - 1; // @claim-tail
    claimed();
    fh_atomic_end();
    fh_atomic_begin();
    if (head <= tail) { // @look-tail
#ifndef LOOKS
        int task = pool[0];
        pool[0] = 0;
        fh_assert(task == 1); // @took-tail
#endif
    }
    taken();
    fh_atomic_end();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, takes_from_the_head, 0);
    pthread_create(&threads[1], 0, takes_from_the_tail, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
