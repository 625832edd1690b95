//@ why: A lock as in Drepper's "Futexes Are Tricky" (mutex2): 0 free, 1 held, 2 held and
//@      somebody may sleep. FORGETFUL takes the lock as 1 after a sleep, so that nobody
//@      wakes the third thread. A wait for a value that is not there fails with EAGAIN; of
//@      two sleepers each may be the one that is woken, and main waits for the other. Requeueing
//@      is refused.
//@ run:
//@ verdict: clean
//@ run: -DFORGETFUL
//@ verdict: violations
//@ lost-wakeup: wait, join wait
//@ run: -DRESULTS --preemptions none
//@ verdict: clean
//@ executions: 1
//@ run: -DBITS --preemptions none
//@ verdict: clean
//@ run: -DREQUEUE
//@ verdict: unsupported
//@ unsupported: requeue futex
//@ run: -DRESULTS --model tso
//@ verdict: unsupported
//@ unsupported: first futex under --model tso
//@ run: -DOTHER_CALL
//@ verdict: unsupported
//@ unsupported: other syscall(39
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

atomic_int word;
int counter;

static void lock(void) {
    int old = 0;
    if (atomic_compare_exchange_strong(&word, &old, 1))
        return;
#ifdef FORGETFUL
    do {
        old = 1;
        if (atomic_load(&word) == 2 || atomic_compare_exchange_strong(&word, &old, 2) || old == 2)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0); // @wait
        old = 0;
    } while (!atomic_compare_exchange_strong(&word, &old, 1));
#else
    while (atomic_exchange(&word, 2) != 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
#endif
}

static void unlock(void) {
    if (atomic_exchange(&word, 0) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *body(void *unused) {
#ifdef BITS
    assert(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 2) == 0 || errno == EAGAIN);
#else
    lock();
    counter++;
    unlock();
#endif
    return unused;
}

int main(void) {
#if defined RESULTS
    const struct timespec soon = {0, 1};
    const long early = syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0); // @first
    assert(early == -1 && errno == EAGAIN);
    assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0) == -1 && errno == ETIMEDOUT);
    assert(syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
    return 0;
#elif defined REQUEUE
    syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, NULL, &word, 0); // @requeue
#elif defined OTHER_CALL
    syscall(SYS_getpid); // @other
#endif
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
#ifdef BITS
    assert(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 2, NULL, NULL, 1) == 0);
    word = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 2, NULL, NULL, 6);
#else
    body(NULL);
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL); // @join
#ifndef BITS
    assert(counter == 3);
#endif
    return 0;
}
