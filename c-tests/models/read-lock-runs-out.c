//@ why: Whoever finds a read-write lock held until its limit is over has executed locked
//@      instructions in front of the wait, so what it stored before is seen by whoever gets the
//@      lock afterwards: if `reads` finds the lock held, `writes` reads its 1 behind the unlock.
//@      Of the four outcomes that leaves three, under each model. (A lock that is held by the
//@      thread itself is refused by a look alone; that a thread knows beforehand.)
//@ verdict: clean
//@ outcomes: main.0: 0; main.1: 0 | main.0: 1; main.1: 0 | main.0: 1; main.1: 1
//@ run: --explorer dpor
//@ run: --explorer rsmc
//@ run: --model tso
//@ run: --model pso
#include <errno.h>
#include <fencehound.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int stored;

static void *writes(void *unused) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    fh_observe(stored);
    return unused;
}

static void *reads(void *unused) {
    struct timespec limit = {0, 0};
    stored = 1;
    int error = pthread_rwlock_timedrdlock(&lock, &limit);
    if (error == 0)
        pthread_rwlock_unlock(&lock);
    fh_observe(error == ETIMEDOUT);
    return unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, writes, NULL);
    pthread_create(&reader, NULL, reads, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
