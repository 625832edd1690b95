//@ why: What main returns is the exit status: the low eight bits of it, as a parent process
//@      sees them. Each return is a place of its own. The flag is read before the thread sets it
//@      or after it.
//@ run: --preemptions none --monitor none
//@ verdict: violations
//@ executions: 2
//@ exit-status: early
//@ run: -DLATE=1 --preemptions none --monitor none
//@ verdict: violations
//@ executions: 2
//@ exit-status: early, late
//@ run: -DLATE=1 --explorer dpor --monitor none
//@ verdict: violations
//@ executions: 2
//@ exit-status: early, late
//@ run: -DLATE=512 --preemptions none --monitor none
//@ verdict: violations
//@ executions: 2
//@ exit-status: early
//@ run: -DLATE=1 --exit-status ignore --preemptions none --monitor none
//@ verdict: clean
//@ executions: 2
//@ run: -DLATE=1 --model tso
//@ verdict: violations
//@ executions: 2
//@ exit-status: early, late
#include <pthread.h>
#include <stdatomic.h>

#ifndef LATE
#define LATE 0
#endif

atomic_int flag;

static void *set(void *unused) {
    atomic_store(&flag, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    if (atomic_load(&flag) == 0)
        return 2; // @early
    pthread_join(thread, NULL);
    return LATE; // @late
}
