//@ why: A transfer and an audit are a transaction each. The audit reads both accounts.
//@      Between its two reads the transfer may run in part or as a whole, and the other way
//@      round: so two orders of the two transactions contradict each other, and these two cycles
//@      are all there are: the audit's first read is on one side of the withdrawal and its
//@      second one on the other side of the deposit. No access of the transfer is to what the
//@      audit writes, which is nothing, so no execution of TSO is another one than those of SC,
//@      and its cycles are the same. With a lock around each transaction its operations are
//@      ordered as a whole.
//@ run: --monitor sc-atomicity,tso-atomicity
//@ verdict: violations
//@ sc-atomicity: withdraw -> first & second -> deposit, first -> withdraw & deposit ->
//@      second
//@ tso-atomicity: withdraw -> first & second -> deposit, first -> withdraw & deposit ->
//@      second
//@ run: --monitor sc-atomicity,tso-atomicity --explorer dpor
//@ verdict: violations
//@ sc-atomicity: withdraw -> first & second -> deposit, first -> withdraw & deposit ->
//@      second
//@ tso-atomicity: withdraw -> first & second -> deposit, first -> withdraw & deposit ->
//@      second
//@ run: --monitor sc-atomicity,tso-atomicity -DLOCKED
//@ verdict: clean
//@ run: --monitor sc-atomicity,tso-atomicity -DLOCKED --explorer dpor
//@ verdict: clean

#include <fencehound.h>
#include <pthread.h>

static int savings = 100, current = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void) {
    fh_atomic_begin();
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void) {
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    fh_atomic_end();
}

static void *transfer(void *unused) {
    enter();
    savings -= 10; // @withdraw
    current += 10; // @deposit
    leave();
    return unused;
}

static void *audit(void *unused) {
    enter();
    int sum = savings; // @first
    sum += current;    // @second
    leave();
#ifdef LOCKED
    fh_assert(sum == 200);
#else
    (void)sum;
#endif
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, transfer, 0);
    pthread_create(&other, 0, audit, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    (void)lock;
    return 0;
}
