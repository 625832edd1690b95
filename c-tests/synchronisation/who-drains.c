//@ why: Store buffering with a call between each store and its load. Calls that drain the
//@      store buffer (MUTEX, SEM_POST, BARRIER, JOIN, SPIN_TRY) forbid that both
//@      loads read 0 as a fence does. The others leave the store in the buffer: glibc's spin
//@      unlock is a plain store, a done once, a signal without a sleeper, sem_getvalue and
//@      tries that fail read alone, a recursive mutex that stays the thread's is a counter.
//@      That is what their sources say (docs/limits.md has the table). Each thread has objects of
//@      its own, so nothing else orders the two.
//@ run: -DSPIN_UNLOCK --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DSPIN_UNLOCK --explorer dpor
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DSPIN_UNLOCK --explorer dpor --monitor exact_tso,sober
//@ verdict: violations
//@ exact_tso: store-x -> load-x, store-y -> load-y
//@ sober: store-x -> load-x, store-y -> load-y
//@ run: -DSPIN_UNLOCK --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DSPIN_UNLOCK --model pso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DONCE --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DONCE --explorer dpor
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DONCE --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DSIGNAL --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DSIGNAL --explorer dpor
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DSIGNAL --explorer dpor --monitor exact_tso,sober
//@ verdict: violations
//@ exact_tso: store-x -> load-x, store-y -> load-y
//@ sober: store-x -> load-x, store-y -> load-y
//@ run: -DSIGNAL --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DBROADCAST --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DBROADCAST --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DGETVALUE --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DGETVALUE --explorer dpor
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DGETVALUE --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DSEM_TRY --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DSEM_TRY --explorer dpor
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DSEM_TRY --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DSEM_TRY --model pso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DREAD_TRY --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DREAD_TRY --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DWRITE_TRY --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DWRITE_TRY --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DRECURSIVE --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DRECURSIVE --explorer dpor
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DRECURSIVE --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DMUTEX --preemptions none
//@ verdict: clean
//@ run: -DMUTEX --explorer dpor
//@ verdict: clean
//@ run: -DMUTEX --model tso
//@ verdict: clean
//@ run: -DTRY_MUTEX --preemptions none
//@ why: glibc 2.36 looks whether the lock is 0 before it swaps: both loads read 0 in 748 of a
//@      million rounds on x86 (scripts/fence-table).
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DTRY_MUTEX --explorer dpor
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DTRY_MUTEX --model tso
//@ verdict: violations
//@ assertion: both-zero
//@ run: -DSPIN_TRY --preemptions none
//@ verdict: clean
//@ run: -DSPIN_TRY --explorer dpor
//@ verdict: clean
//@ run: -DSPIN_TRY --model tso
//@ verdict: clean
//@ run: -DSPIN_LOCK --preemptions none
//@ verdict: clean
//@ run: -DSPIN_LOCK --explorer dpor --monitor exact_tso,sober
//@ verdict: clean
//@ run: -DSPIN_LOCK --model tso
//@ verdict: clean
//@ run: -DSEM_POST --preemptions none
//@ verdict: clean
//@ run: -DSEM_POST --model tso
//@ verdict: clean
//@ run: -DJOIN --explorer dpor
//@ verdict: clean
//@ run: -DJOIN --model tso
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int x, y, r, s;
static pthread_spinlock_t spin[2];
static pthread_once_t once[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
static pthread_cond_t condition[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static sem_t semaphore[2];
static pthread_rwlock_t lock[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t recursive[2] = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                                       PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
static pthread_t helper[2];

static void nothing(void) {}
static void *ends(void *unused) { return unused; }

static void before(int me) {
#if defined SPIN_UNLOCK || defined SPIN_TRY
    pthread_spin_lock(&spin[me]);
#elif defined ONCE
    pthread_once(&once[me], nothing);
#elif defined READ_TRY || defined WRITE_TRY
    pthread_rwlock_wrlock(&lock[me]);
#elif defined RECURSIVE
    pthread_mutex_lock(&recursive[me]);
#elif defined TRY_MUTEX
    pthread_mutex_lock(&mutex[me]);
#elif defined JOIN
    pthread_create(&helper[me], 0, ends, 0);
#endif
    (void)nothing;
    (void)ends;
    (void)me;
}

static void between(int me) {
#if defined SPIN_UNLOCK
    pthread_spin_unlock(&spin[me]);
#elif defined SPIN_LOCK
    pthread_spin_lock(&spin[me]);
#elif defined SPIN_TRY
    pthread_spin_trylock(&spin[me]);
#elif defined ONCE
    pthread_once(&once[me], nothing);
#elif defined SIGNAL
    pthread_cond_signal(&condition[me]);
#elif defined BROADCAST
    pthread_cond_broadcast(&condition[me]);
#elif defined GETVALUE
    int value;
    sem_getvalue(&semaphore[me], &value);
#elif defined SEM_TRY
    sem_trywait(&semaphore[me]);
#elif defined SEM_POST
    sem_post(&semaphore[me]);
#elif defined READ_TRY
    pthread_rwlock_tryrdlock(&lock[me]);
#elif defined WRITE_TRY
    pthread_rwlock_trywrlock(&lock[me]);
#elif defined RECURSIVE
    pthread_mutex_lock(&recursive[me]);
    pthread_mutex_unlock(&recursive[me]);
#elif defined MUTEX
    pthread_mutex_lock(&mutex[me]);
    pthread_mutex_unlock(&mutex[me]);
#elif defined TRY_MUTEX
    pthread_mutex_trylock(&mutex[me]);
#elif defined JOIN
    pthread_join(helper[me], 0);
#endif
    (void)me;
}

static void *left(void *unused) {
    before(0);
    x = 1; // @store-x
    between(0);
    r = y; // @load-y
    return unused;
}

static void *right(void *unused) {
    before(1);
    y = 1; // @store-y
    between(1);
    s = x; // @load-x
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int me = 0; me < 2; me++) {
        pthread_spin_init(&spin[me], 0);
        sem_init(&semaphore[me], 0, 0);
    }
    pthread_create(&threads[0], 0, left, 0);
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(r || s); // @both-zero
    return 0;
}
