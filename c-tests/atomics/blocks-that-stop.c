//@ why: A thread that stops in an atomic block, at an assumption or a failure, leaves
//@      what nobody can see. HIDDEN: x is 1 only within the block, which goes on only
//@      behind the store to y; the other thread never sees it. Executions are given up
//@      where the block comes before that store: before or after the creation of the
//@      other thread. BESIDE: the other thread fails by itself, if it comes before the
//@      block, which stops every execution: at one of its three places before the load of
//@      z. FAILS: the block fails where it comes before the store to y, and only there;
//@      the other thread does not. dpor: the block comes before the store to y, and
//@      stops; or after it, and then before or after the load of x.
//@ run: -DWHAT=HIDDEN --preemptions none
//@ verdict: clean
//@ blocked: 2
//@ run: -DWHAT=BESIDE --preemptions none
//@ verdict: violations
//@ blocked: 3
//@ assertion: beside
//@ run: -DWHAT=FAILS --preemptions none
//@ verdict: violations
//@ assertion: within
//@ run: -DWHAT=HIDDEN --explorer dpor
//@ verdict: clean
//@ executions: 2
//@ blocked: 1
//@ run: -DWHAT=BESIDE --explorer dpor
//@ verdict: violations
//@ assertion: beside
//@ run: -DWHAT=FAILS --explorer dpor
//@ verdict: violations
//@ executions: 3
//@ assertion: within
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);

enum { HIDDEN, BESIDE, FAILS };

volatile int x, y, z;

static void *blocked(void *unused) {
    __VERIFIER_atomic_begin();
    x = 1;
    if (WHAT == FAILS)
        assert(y == 1); // @within
    else
        __VERIFIER_assume(WHAT == HIDDEN && y == 1);
    x = 0;
    __VERIFIER_atomic_end();
    return unused;
}

static void *other(void *unused) {
    if (WHAT == BESIDE) {
        z = 1;
        assert(z == 0); // @beside
    }
    y = 1;
    __sync_synchronize();
    assert(x == 0);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, blocked, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
