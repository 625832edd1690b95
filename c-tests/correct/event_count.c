//@ why: Who finds nothing to do says that it sleeps, and looks once more before it does; who
//@      brings something looks whether somebody sleeps. Both have to be seen before the look, else
//@      nobody wakes the sleeper: two full fences, on TSO as on PSO.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_SLEEP
//@ why: Either look may come before the store that is to be seen by the other: both find nothing,
//@      one sleeps, and main waits for it.
//@ verdict: violations
//@ models: tso breaks, pso breaks
//@ lost-wakeup: sleeps joins, sleeps joins
//@ run: -DNO_BRING
//@ verdict: violations
//@ models: tso breaks, pso breaks
//@ lost-wakeup: sleeps joins, sleeps joins
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_SLEEP
#define SLEEPS()
#else
#define SLEEPS() FENCE()
#endif
#ifdef NO_BRING
#define BROUGHT()
#else
#define BROUGHT() FENCE()
#endif
static atomic_int sleeping, items;
static sem_t wake;

static void *first(void *unused) {
    ST(items, 1);
    BROUGHT();
    if (LD(sleeping))
        sem_post(&wake);
    return unused;
}

static void *second(void *unused) {
    if (LD(items) == 0) {
        ST(sleeping, 1);
        SLEEPS();
        if (LD(items) == 0)
            sem_wait(&wake); // @sleeps
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    sem_init(&wake, 0, 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL); // @joins
    return 0;
}
