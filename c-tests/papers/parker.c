//@ why: A thread parks until it has a permit, as in the Java virtual machine, where a missing fence
//@      was a bug for years (JDK 6822370). Who takes the permit without the lock must look at the
//@      condition after the permit is down in memory; otherwise the look may go ahead, and the
//@      permit that the other one gives next is taken for the old one: store buffering between
//@      permit and condition.
//@ run: --preemptions none
//@ verdict: violations
//@ tso: take -> test
//@ pso: take -> test
//@ run: -DFENCED --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// The fences that are there, by number: all with FENCED, but that of WITHOUT; or those of the bits
// of FENCES.
#ifndef WITHOUT
#define WITHOUT 0
#endif
#ifndef FENCES
#ifdef FENCED
#define FENCES ~(1U << WITHOUT)
#else
#define FENCES 0U
#endif
#endif
#define FENCE(number, order) ((FENCES >> (number) & 1) ? atomic_thread_fence(order) : (void)0)

volatile bool permit = true, done;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void park(void) {
    if (permit) {
        permit = false; // @take
        FENCE(1, memory_order_seq_cst);
        return;
    }
    pthread_mutex_lock(&mutex);
    while (!permit)
        pthread_cond_wait(&condition, &mutex);
    permit = false;
    pthread_mutex_unlock(&mutex);
}

static void unpark(void) {
    pthread_mutex_lock(&mutex);
    bool had = permit; // @test
    permit = true;
    if (!had)
        pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

static void *waiter(void *unused) {
    // A permit may be there for an earlier reason, so that parking once is not enough.
    for (int i = 0; i < 2 && !done; i++)
        park();
    return unused;
}

static void *waker(void *unused) {
    done = true;
    unpark();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, waker, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
