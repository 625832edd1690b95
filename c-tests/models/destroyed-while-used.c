//@ why: An object that is destroyed while it is held or waited for is undefined in POSIX.
//@      Where nothing orders the destruction and the thread that holds a mutex, a read-
//@      write lock or a spin lock (KIND 1 to 3), or waits at a barrier (4), there is an
//@      execution in which it comes in between, and one in which the thread comes too
//@      late. Main has seen that the thread waits for a condition variable (5); a thread
//@      that was woken needs it no more, though it has not run again (WOKEN). A thread
//@      must not destroy what it holds itself (6). Interleavings and execution graphs see
//@      the same, but that main goes on in graphs, and waits for ever for the thread that
//@      sleeps.
//@ verdict: violations
//@ run: -DKIND=1 --explorer bounded --preemptions none --monitor none
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=1 --explorer rsmc --model sc
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=1 --model tso
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=1 --model armv8
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=1 -DJOINED --explorer bounded --preemptions none --monitor none
//@ verdict: clean
//@ run: -DKIND=1 -DJOINED --model tso
//@ verdict: clean
//@ run: -DKIND=2 --explorer bounded --preemptions none --monitor none
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=2 --explorer rsmc --model sc
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=2 --model tso
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=2 --model armv8
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=2 -DJOINED --explorer bounded --preemptions none --monitor none
//@ verdict: clean
//@ run: -DKIND=2 -DJOINED --model tso
//@ verdict: clean
//@ run: -DKIND=3 --explorer bounded --preemptions none --monitor none
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=3 --explorer rsmc --model sc
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=3 --model tso
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=3 --model armv8
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=3 -DJOINED --explorer bounded --preemptions none --monitor none
//@ verdict: clean
//@ run: -DKIND=3 -DJOINED --model tso
//@ verdict: clean
//@ run: -DKIND=4 --explorer bounded --preemptions none --monitor none
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=4 --explorer rsmc --model sc
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=4 --model tso
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=4 --model armv8
//@ misuse: destroy begin, begin destroy
//@ run: -DKIND=5 --explorer bounded --preemptions none --monitor none
//@ misuse: destroy-asleep sleep
//@ run: -DKIND=5 --explorer rsmc --model sc
//@ misuse: destroy-asleep sleep
//@ lost-wakeup: join sleep
//@ run: -DKIND=5 --model tso
//@ misuse: destroy-asleep sleep
//@ lost-wakeup: join sleep
//@ run: -DKIND=5 -DWOKEN --explorer bounded --preemptions none --monitor none
//@ verdict: clean
//@ run: -DKIND=5 -DWOKEN --explorer rsmc --model sc
//@ verdict: clean
//@ run: -DKIND=5 -DWOKEN --model tso
//@ verdict: clean
//@ run: -DKIND=6 --explorer bounded --preemptions none --monitor none
//@ misuse: destroy own
//@ run: -DKIND=6 --explorer rsmc --model sc
//@ misuse: destroy own
//@ run: -DKIND=6 --model tso
//@ misuse: destroy own
#include <pthread.h>
#include <stdlib.h>

#if KIND == 1 || KIND == 6
static pthread_mutex_t object = PTHREAD_MUTEX_INITIALIZER;
#define BEGIN() pthread_mutex_lock(&object)
#define END() pthread_mutex_unlock(&object)
#define DESTROY() pthread_mutex_destroy(&object)
#elif KIND == 2
static pthread_rwlock_t object = PTHREAD_RWLOCK_INITIALIZER;
#define BEGIN() pthread_rwlock_rdlock(&object)
#define END() pthread_rwlock_unlock(&object)
#define DESTROY() pthread_rwlock_destroy(&object)
#elif KIND == 3
static pthread_spinlock_t object;
#define INITIALISE() pthread_spin_init(&object, PTHREAD_PROCESS_PRIVATE)
#define BEGIN() pthread_spin_lock(&object)
#define END() pthread_spin_unlock(&object)
#define DESTROY() pthread_spin_destroy(&object)
#elif KIND == 4
static pthread_barrier_t object;
#define INITIALISE() pthread_barrier_init(&object, NULL, 2)
#define BEGIN() pthread_barrier_wait(&object)
#define END()
#define DESTROY() pthread_barrier_destroy(&object)
#endif
#ifndef INITIALISE
#define INITIALISE()
#endif

#if KIND == 5
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t object = PTHREAD_COND_INITIALIZER;
static int asks;

static void *user(void *unused) {
    pthread_mutex_lock(&mutex);
    asks = 1;
    pthread_cond_wait(&object, &mutex); // @sleep
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, user, NULL);
    pthread_mutex_lock(&mutex);
    int asleep = asks;
#ifdef WOKEN
    pthread_cond_signal(&object);
#endif
    pthread_mutex_unlock(&mutex);
    if (!asleep)
        exit(0);
    pthread_cond_destroy(&object); // @destroy-asleep
    pthread_join(thread, NULL);    // @join
    return 0;
}
#else
static void *user(void *unused) {
    BEGIN(); // @begin
    END();
    return unused;
}

int main(void) {
    pthread_t thread;
    INITIALISE();
#if KIND == 6
    BEGIN(); // @own
#else
    pthread_create(&thread, NULL, user, NULL);
#endif
#ifdef JOINED
    pthread_join(thread, NULL);
#endif
    DESTROY(); // @destroy
    return 0;
}
#endif
