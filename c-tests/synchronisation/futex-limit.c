//@ why: The limit of a futex wait is what the program's memory holds: main makes it a time before
//@      it waits, so that the wait runs out, in interleavings as in execution graphs, where it is
//@      not what memory holds at first. One that is no time fails with EINVAL. Nothing else runs:
//@      one execution. With SLEEPS another thread sleeps without a limit, and nobody wakes it.
//@ run: --explorer dpor
//@ verdict: clean
//@ executions: 1
//@ run: --explorer rsmc
//@ verdict: clean
//@ executions: 1
//@ run: --model tso
//@ verdict: clean
//@ executions: 1
//@ run: --model armv8
//@ verdict: clean
//@ executions: 1
//@ run: -DSLEEPS --model armv8
//@ verdict: violations
//@ lost-wakeup: join sleep
//@ models: armv8 harmless
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;
static struct timespec limit = {0, 2000000000};

#ifdef SLEEPS
static void *sleeps(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0); // @sleep
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sleeps, 0);
    pthread_join(thread, 0); // @join
    return 0;
}
#else
int main(void) {
    assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, 0, 0) == -1 && errno == EINVAL);
    limit.tv_nsec = 1000;
    assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, 0, 0) == -1 && errno == ETIMEDOUT);
    limit.tv_nsec = 2000000000;
    assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, 0, 0) == -1 && errno == EINVAL);
    return 0;
}
#endif
