//@ why: A weak compare-and-exchange may fail although it could succeed (C11 7.17.7.4). One that
//@      would succeed at each try, in a loop, fails 0, 1, …, N times where N failures are allowed
//@      in an execution: N + 1 executions of the one thread. Without a loop the program relies on
//@      what the standard does not promise: one more execution, in which it fails.
//@ run: -DRETRY=1
//@ verdict: clean
//@ executions: 1
//@ run: -DRETRY=1 --weak-cas-fails 1
//@ verdict: clean
//@ executions: 2
//@ run: -DRETRY=1 --weak-cas-fails 4 --preemptions none
//@ verdict: clean
//@ executions: 5
//@ run: -DRETRY=0
//@ verdict: clean
//@ executions: 1
//@ run: -DRETRY=0 --weak-cas-fails 1
//@ verdict: violations
//@ executions: 2
//@ assertion: fails
#include <assert.h>
#include <stdatomic.h>

atomic_int x;

int main(void) {
    int expected = 0;
    _Bool done = 0;
    do {
        expected = 0;
        done = atomic_compare_exchange_weak(&x, &expected, 1);
    } while (RETRY && !done);
    assert(done); // @fails
    return 0;
}
