//@ why: A barrier that the last one to come opens by turning the sense. What was written before
//@      must be seen behind it: the arrival and the opening release, under PSO.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_ARRIVE
//@ why: The last one to come may come before what the other one has written. The flag is released
//@      still, so that nothing fails behind it.
//@ verdict: violations
//@ models: pso breaks
//@ assertion: fails
//@ run: -DNO_OPEN
//@ verdict: violations
//@ models: pso breaks
//@ assertion: opened
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_ARRIVE
#define ARRIVE memory_order_acquire
#else
#define ARRIVE memory_order_acq_rel
#endif
#ifdef NO_OPEN
#define OPEN ST
#else
#define OPEN RELEASE
#endif
static atomic_int missing = 2, sense;
static int written[2];
static int opened;

static void run(int me) {
    written[me] = 1;
    if (atomic_fetch_sub_explicit(&missing, 1, ARRIVE) == 1) {
        opened = 1;
        OPEN(sense, 1);
    } else {
        while (!ACQUIRE(sense))
            ;
    }
    assert(written[!me]); // @fails
    assert(opened);       // @opened
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
