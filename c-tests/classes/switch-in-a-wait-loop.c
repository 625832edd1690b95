//@ why: Without preemption there are two executions: `set` runs to its end first, so that
//@      `look` reads 1; or `look` reads 0, goes round its loop once in vain, and waits: leaving it
//@      there is free. Without that round it would be left before its loop, which is a preemption:
//@      so `dpor` does not count the class, but its outcome is within the bound. One preemption
//@      changes nothing.
//@ run: --preemptions 0
//@ verdict: clean
//@ executions: 2
//@ outcomes: main.0: 0 | main.0: 1
//@ run: --preemptions 0 --explorer dpor
//@ verdict: clean
//@ executions: 1
//@ outcomes: main.0: 0 | main.0: 1
//@ run: --preemptions 1 --explorer dpor
//@ verdict: clean
//@ executions: 2
//@ outcomes: main.0: 0 | main.0: 1
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value, flag;

static void *look(void *unused) {
    int read = value;
    while (!flag)
        ;
    fh_observe(read);
    return unused;
}

static void *set(void *unused) {
    value = 1;
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t looks, sets;
    pthread_create(&looks, 0, look, 0);
    pthread_create(&sets, 0, set, 0);
    pthread_join(looks, 0);
    pthread_join(sets, 0);
    return 0;
}
