//@ why: An object that is initialised while it is one already, since it was initialised before or
//@      used by its static initialiser, is undefined in POSIX, whichever thread is first: as the
//@      threads are not ordered, there is an execution in which the use, or the other
//@      initialisation, comes before. A spin lock has no static initialiser: the same use is one of
//@      a lock that never was initialised. Interleavings and execution graphs see the same. What is
//@      destroyed in between, by a thread that has joined the user, may be initialised again.
//@ verdict: violations
//@ run: -DKIND=1 --explorer bounded --preemptions none
//@ misuse: initialise use
//@ run: -DKIND=1 --explorer rsmc --model sc
//@ misuse: initialise use
//@ run: -DKIND=1 --model tso
//@ misuse: initialise use
//@ run: -DKIND=1 --model armv8
//@ misuse: initialise use
//@ run: -DKIND=2 --explorer bounded --preemptions none
//@ misuse: initialise use
//@ run: -DKIND=2 --model tso
//@ misuse: initialise use
//@ run: -DKIND=3 --explorer bounded --preemptions none
//@ misuse: use
//@ run: -DKIND=3 --model tso
//@ misuse: use
//@ run: -DKIND=4 -DTWICE --explorer dpor --preemptions none
//@ misuse: initialise first, initialise use
//@ run: -DKIND=4 -DTWICE --model tso
//@ misuse: initialise first
//@ run: -DKIND=4 -DDESTROYED --explorer dpor --preemptions none
//@ verdict: clean
//@ run: -DKIND=4 -DDESTROYED --model tso
//@ verdict: clean
#include <pthread.h>
#include <semaphore.h>

#if KIND == 1
static pthread_mutex_t object;
#define INITIALISE() pthread_mutex_init(&object, NULL)
#define USE() pthread_mutex_trylock(&object)
#elif KIND == 2
static pthread_cond_t object;
#define INITIALISE() pthread_cond_init(&object, NULL)
#define USE() pthread_cond_signal(&object)
#elif KIND == 3
static pthread_spinlock_t object;
#define INITIALISE() pthread_spin_init(&object, PTHREAD_PROCESS_PRIVATE)
#define USE() pthread_spin_trylock(&object)
#elif KIND == 4
static sem_t object;
#define INITIALISE() sem_init(&object, 0, 0)
#define USE() sem_post(&object)
#define DESTROY() sem_destroy(&object)
#endif

static void *user(void *unused) {
    USE(); // @use
    return unused;
}

int main(void) {
    pthread_t thread;
#if defined TWICE || defined DESTROYED
    INITIALISE(); // @first
#endif
    pthread_create(&thread, NULL, user, NULL);
#ifdef DESTROYED
    pthread_join(thread, NULL);
    DESTROY();
#endif
    INITIALISE(); // @initialise
#ifndef DESTROYED
    pthread_join(thread, NULL);
#endif
    return 0;
}
