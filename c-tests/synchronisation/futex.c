//@ why: A lock as in Drepper's "Futexes Are Tricky" (mutex2): 0 free, 1 held, 2 held and
//@      somebody may sleep. FORGETFUL takes the lock as 1 after a sleep, so that nobody
//@      wakes the third thread. A wait for a value that is not there fails with EAGAIN; of
//@      two sleepers each may be the one that is woken, and main waits for the other. Requeueing
//@      is refused, and bit sets in execution graphs. Each futex call is a full fence, so the
//@      same holds under all models; BELL, where a thread sleeps while a word is 0 and another
//@      one sets it and wakes, too: the word alone tells that it slept.
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
//@ verdict: clean
//@ executions: 1
//@ run: --model tso
//@ verdict: clean
//@ run: --model armv8
//@ verdict: clean
//@ run: --model c11
//@ verdict: clean
//@ run: -DFORGETFUL --model tso
//@ verdict: violations
//@ lost-wakeup: wait, join wait
//@ models: tso harmless
//@ run: -DBELL --model sc --explorer rsmc
//@ verdict: clean
//@ run: -DBELL --model tso
//@ verdict: clean
//@ run: -DBELL --model armv8
//@ verdict: clean
//@ run: -DBELL --model riscv
//@ verdict: clean
//@ run: -DBELL --model power
//@ verdict: clean
//@ run: -DBELL --model c11
//@ verdict: clean
//@ run: -DBITS --model tso
//@ verdict: unsupported
//@ unsupported: bits futex with a bit set under --model tso
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
#if defined BITS
    assert(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 2) == 0 || errno == EAGAIN);
#elif defined BELL
    while (!atomic_load_explicit(&word, memory_order_relaxed))
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
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
    const long early = syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
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
    assert(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 2, NULL, NULL, 1) == 0); // @bits
    word = 1;
    syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 2, NULL, NULL, 6);
#elif defined BELL
    atomic_store_explicit(&word, 1, memory_order_relaxed);
    syscall(SYS_futex, &word, FUTEX_WAKE, 2, NULL, NULL, 0);
#else
    body(NULL);
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL); // @join
#if !defined BITS && !defined BELL
    assert(counter == 3);
#endif
    return 0;
}
