//@ why: The release of a spin lock is a store: it waits in the buffer with what was stored
//@      under the lock, and the load behind it goes first, in both threads. The release of a
//@      mutex empties the buffer. Who takes the lock next finds what was stored under it,
//@      under both models.
//@ run: --model tso --explorer bounded
//@ verdict: violations
//@ assertion: both-stale
//@ run: --model pso --explorer bounded
//@ verdict: violations
//@ assertion: both-stale
//@ run: -DMUTEX --model tso --explorer bounded
//@ verdict: clean
//@ run: -DMUTEX --model pso --explorer bounded
//@ verdict: clean
//@ run: --model tso --explorer dpor
//@ verdict: violations
//@ assertion: both-stale
//@ run: --model pso --explorer dpor
//@ verdict: violations
//@ assertion: both-stale
//@ run: -DMUTEX --model tso --explorer dpor
//@ verdict: clean
//@ run: -DMUTEX --model pso --explorer dpor
//@ verdict: clean
#include <assert.h>
#include <pthread.h>

#ifdef MUTEX
typedef pthread_mutex_t lock;
#define INITIALISE(l) pthread_mutex_init(l, 0)
#define LOCK pthread_mutex_lock
#define UNLOCK pthread_mutex_unlock
#else
typedef pthread_spinlock_t lock;
#define INITIALISE(l) pthread_spin_init(l, 0)
#define LOCK pthread_spin_lock
#define UNLOCK pthread_spin_unlock
#endif

static lock locks[2];
static int words[2], seen[2];

static void store_and_look(int own) {
    LOCK(&locks[own]);
    words[own]++;
    UNLOCK(&locks[own]);
    seen[own] = words[!own];
}

static void *left(void *unused) {
    store_and_look(0);
    return unused;
}

static void *right(void *unused) {
    store_and_look(1);
    LOCK(&locks[0]);
    words[0]++;
    UNLOCK(&locks[0]);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    INITIALISE(&locks[0]);
    INITIALISE(&locks[1]);
    pthread_create(&threads[0], 0, left, 0);
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(words[0] == 2 && words[1] == 1);
    assert(seen[0] || seen[1]); // @both-stale
}
