//@ why: Figure 4(b) of SOBER (CAV 2008). The consumer says that it is idle and then looks for work;
//@      the producer says that there is work and then looks for an idle consumer. No interleaving
//@      loses a wake-up, but each may see the other one's old flag while its own one waits in the
//@      store buffer: then the producer does not signal, and the consumer waits for ever.
//@ run: --preemptions none
//@ verdict: violations
//@ tso: set-idling -> get-idling, set-work -> get-work
//@ pso: set-idling -> get-idling, set-work -> get-work
//@ run: -DFENCED --preemptions none
//@ verdict: clean
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

volatile bool is_idling, has_work;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *consumer(void *unused) {
    pthread_mutex_lock(&mutex);
    is_idling = true; // @set-idling
    FENCE(1, memory_order_seq_cst);
    if (!has_work) // @get-work
        pthread_cond_wait(&condition, &mutex);
    is_idling = false;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *producer(void *unused) {
    has_work = true; // @set-work
    FENCE(2, memory_order_seq_cst);
    if (is_idling) { // @get-idling
        pthread_mutex_lock(&mutex);
        pthread_cond_signal(&condition);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, consumer, NULL);
    pthread_create(&threads[1], NULL, producer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
