//@ why: A thread draws a number and waits until it is served. The next one is served by a store
//@      that must not be seen before what the critical section wrote: PSO needs the release. That
//@      a thread draws its second number before the first is given back is seen by nobody.
//@ run:
//@ verdict: clean
//@ models: pso harmless
//@ run: -DNO_RELEASE
//@ verdict: violations
//@ models: pso breaks
//@ assertion: fails
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_RELEASE
#define UNLOCK ST
#else
#define UNLOCK RELEASE
#endif
static atomic_int next, served;
static int counter;

static void run(int me) {
    for (int round = 0; round < 2 - me; round++) {
        int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        while (ACQUIRE(served) != mine)
            ;
        int before = counter;
        counter = before + 1;
        assert(before == mine); // @fails
        UNLOCK(served, mine + 1);
    }
}

static void *first(void *unused) {
    run(0);
    return unused;
}

static void *second(void *unused) {
    run(1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
