//@ why: Two threads hand a message to and fro through one variable and two flags. A message must
//@      not be seen after its flag.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_SEND
//@ verdict: violations
//@ models: pso breaks
//@ assertion: message
//@ run: -DNO_ANSWER
//@ verdict: violations
//@ models: pso breaks
//@ assertion: answer
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
#ifdef NO_ANSWER
#define ANSWER ST
#else
#define ANSWER RELEASE
#endif
static atomic_int sent, answered;
static int message, answer;

static void *first(void *unused) {
    for (int round = 1; round <= 2; round++) {
        message = round;
        SEND(sent, round);
        while (ACQUIRE(answered) != round)
            ;
        assert(answer == 10 * round); // @answer
    }
    return unused;
}

static void *second(void *unused) {
    for (int round = 1; round <= 2; round++) {
        while (ACQUIRE(sent) != round)
            ;
        assert(message == round); // @message
        answer = 10 * message;
        ANSWER(answered, round);
    }
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
