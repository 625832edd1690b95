//@ why: Each thread sends a message, then waits for that of the other one. It may look for the
//@      other message before its own is seen, and finds it later: nothing comes of it. The message
//@      must not be seen after its flag.
//@ run:
//@ verdict: clean
//@ models: tso harmless, pso harmless
//@ run: -DNO_SEND
//@ verdict: violations
//@ models: tso harmless, pso breaks
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

#ifdef NO_SEND
#define SEND ST
#else
#define SEND RELEASE
#endif
static atomic_int sent[2];
static int message[2];

static void run(int me) {
    message[me] = 1;
    SEND(sent[me], 1);
    while (!ACQUIRE(sent[!me]))
        ;
    assert(message[!me]); // @fails
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
