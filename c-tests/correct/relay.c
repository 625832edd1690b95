//@ why: A message goes from one thread to main by way of another: each flag must be seen
//@      after what was written before it.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_FIRST
//@ why: The thread between may read the message before it is there, and comment on 0. By the time
//@      that main looks the message may have come, or not: either assertion.
//@ verdict: violations
//@ models: pso breaks
//@ assertion: comment, message
//@ run: -DNO_SECOND
//@ why: The flag comes before the comment. The message was there before the first flag was.
//@ verdict: violations
//@ models: pso breaks
//@ assertion: comment
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_FIRST
#define PASS ST
#else
#define PASS RELEASE
#endif
#ifdef NO_SECOND
#define PASS_ON ST
#else
#define PASS_ON RELEASE
#endif
static atomic_int one, other;
static int message, comment;

static void *first(void *unused) {
    message = 1;
    PASS(one, 1);
    return unused;
}

static void *second(void *unused) {
    while (!ACQUIRE(one))
        ;
    comment = message + 1;
    PASS_ON(other, 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    while (!ACQUIRE(other))
        ;
    assert(message == 1); // @message
    assert(comment == 2); // @comment
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
