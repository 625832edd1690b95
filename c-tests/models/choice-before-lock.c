//@ why: What a thread does behind a choice depends on the choice, though it be no branch of the
//@      program. For each of the two numbers: the read lock is tried before the write lock is
//@      taken, which is never given back, so that the writer waits for ever; while it is held,
//@      which fails; or behind the unlock: six executions.
//@ verdict: violations
//@ deadlock: writer join
//@ outcomes: main.1: 0 | main.1: 1 | main.1: 10 | main.1: 11
//@ executions: 6
//@ run: --model tso
//@ run: --model power
//@ run: --model armv8
//@ run: --model riscv
#include <errno.h>
#include <fencehound.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *write(void *argument) {
    pthread_rwlock_wrlock(&lock); // @writer
    pthread_rwlock_unlock(&lock);
    return argument;
}

static void *read(void *argument) {
    struct timespec past = {0, 0};
    int chosen = fh_choose(2);
    int result = pthread_rwlock_timedrdlock(&lock, &past);
    fh_observe(10 * chosen + (result == ETIMEDOUT));
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, write, 0);
    pthread_create(&b, 0, read, 0);
    pthread_join(a, 0); // @join
    pthread_join(b, 0);
    return 0;
}
