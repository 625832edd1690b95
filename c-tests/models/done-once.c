//@ why: Store buffering through a call of `pthread_once` that has run its function already:
//@      between the store and the load. A call goes on only when it knows the state that it has
//@      read, so what comes behind it is never performed before. On POWER a release that is no
//@      acquire orders no load behind a store: both threads may read 0 (POST, ONCE). With full
//@      fences beside, they cannot.
//@ run: -DONCE --model power
//@ verdict: violations
//@ assertion: both
//@ run: -DONCE -DFENCED --model power
//@ verdict: clean
//@ run: -DPOST --model power
//@ verdict: violations
//@ assertion: both
//@ run: -DPOST -DFENCED --model power
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int x, y;
static int first_read, second_read;

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE()
#endif

#ifdef ONCE
static pthread_once_t once[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};

static void nothing(void) {}

static void begin(int me) { pthread_once(&once[me], nothing); }

static void pass(int me) { pthread_once(&once[me], nothing); }
#else
static sem_t semaphores[2];

static void begin(int me) { sem_init(&semaphores[me], 0, 0); }

static void pass(int me) { sem_post(&semaphores[me]); }
#endif

static int work(int me, atomic_int *own, atomic_int *other) {
    begin(me);
    atomic_store_explicit(own, 1, memory_order_relaxed);
    FENCE();
    pass(me);
    return atomic_load_explicit(other, memory_order_relaxed);
}

static void *first(void *unused) {
    first_read = work(0, &x, &y);
    return unused;
}

static void *second(void *unused) {
    second_read = work(1, &y, &x);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(first_read || second_read); // @both
    return 0;
}
