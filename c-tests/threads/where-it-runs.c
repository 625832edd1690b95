//@ why: Each thread has a number of its own, which the system call gives as well. Where a thread
//@      runs cannot be seen by the program, and a system without membarrier says so. Two created
//@      threads without an event leave one order of creations and joins.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *body(void *unused) { return (void *)(long)gettid(); }

int main(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    pthread_t first, second;
    pthread_create(&first, NULL, body, NULL);
    pthread_create(&second, NULL, body, NULL);
    assert(pthread_setaffinity_np(first, sizeof one, &one) == 0);
    assert(sched_setaffinity(gettid(), sizeof one, &one) == 0);
    assert(sched_getcpu() == 0);
    void *numbers[2];
    pthread_join(first, &numbers[0]);
    pthread_join(second, &numbers[1]);
    assert(numbers[0] != numbers[1] && (long)numbers[0] != gettid() &&
           (long)numbers[1] != gettid());
    assert(syscall(SYS_gettid) == gettid());
    assert(syscall(SYS_membarrier, 0, 0) == -1 && errno == ENOSYS);
    return 0;
}
