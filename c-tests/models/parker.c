//@ why: The Java virtual machine's parker (JDK 6822370): who takes the permit without the lock
//@      must look at the condition after that, and who gives it must look at the permit after the
//@      condition. If both looks go ahead, as in store buffering, the permit seems to be there
//@      already: nobody signals, and who parks sleeps for ever. TSO needs a fence in the first
//@      alone, since taking a lock is one; on POWER that is only an acquire, and both need one.
//@ run: --model tso
//@ verdict: violations
//@ lost-wakeup: join sleep
//@ run: --model power
//@ verdict: violations
//@ lost-wakeup: join sleep
//@ run: -DFENCED_TAKER --model tso
//@ verdict: clean
//@ run: -DFENCED_TAKER --model power
//@ verdict: violations
//@ lost-wakeup: join sleep
//@ run: -DFENCED_TAKER -DFENCED_GIVER --model power
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>

#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#define FENCE atomic_thread_fence(memory_order_seq_cst)

static atomic_int permit = 1, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void park(void) {
    if (LOAD(&permit)) {
        STORE(&permit, 0);
#ifdef FENCED_TAKER
        FENCE;
#endif
        return;
    }
    pthread_mutex_lock(&mutex);
    while (!LOAD(&permit))
        pthread_cond_wait(&condition, &mutex); // @sleep
    STORE(&permit, 0);
    pthread_mutex_unlock(&mutex);
}

static void unpark(void) {
    pthread_mutex_lock(&mutex);
    int had = LOAD(&permit);
    STORE(&permit, 1);
    if (!had)
        pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

static void *waiter(void *unused) {
    // A permit may be there for an earlier reason, so that parking once is not enough.
    for (int i = 0; i < 2 && !LOAD(&done); i++)
        park();
    return unused;
}

static void *waker(void *unused) {
    STORE(&done, 1);
#ifdef FENCED_GIVER
    FENCE;
#endif
    unpark();
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, waker, 0);
    pthread_join(a, 0); // @join
    pthread_join(b, 0);
}
