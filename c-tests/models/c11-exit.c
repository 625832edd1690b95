//@ why: thrd_exit ends the thread with its result wherever it stands, in execution graphs as under
//@      the scheduler: the join gives 7, and what the thread has stored is seen behind it. Before
//@      the join main reads 0 or 1: two executions under each model.
//@ run: --explorer dpor
//@ executions: 2
//@ verdict: clean
//@ run: --explorer rsmc
//@ executions: 2
//@ verdict: clean
//@ run: --model tso
//@ executions: 2
//@ verdict: clean
//@ run: --model power
//@ executions: 2
//@ verdict: clean
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static atomic_int stored;

static void leave(void) { thrd_exit(7); }

static int ends(void *unused) {
    (void)unused;
    atomic_store(&stored, 1);
    leave();
    return 0;
}

int main(void) {
    thrd_t thread;
    int result;
    thrd_create(&thread, ends, 0);
    int before = atomic_load(&stored);
    thrd_join(thread, &result);
    assert(result == 7);
    assert(atomic_load(&stored) == 1 && before <= 1);
    return 0;
}
