//@ why: A ticket lock. TSO keeps the write of the critical section before the store that serves the
//@      next ticket. PSO may delay the write past a plain store; a release store forbids it.
//@ run: --preemptions 3
//@ verdict: violations
//@ pso: write -> read
//@ run: -DFENCED --preemptions 3
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define UNLOCK memory_order_release
#else
#define UNLOCK memory_order_relaxed
#endif

atomic_uint next_ticket, now_serving;
int entered;

static unsigned lock(void) {
    unsigned ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket)
        ;
    return ticket;
}

static void unlock(unsigned ticket) { atomic_store_explicit(&now_serving, ticket + 1, UNLOCK); }

static void *body(void *unused) {
    unsigned ticket = lock();
    int before = entered; // @read
    entered = before + 1; // @write
    unlock(ticket);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(entered == 2);
    return 0;
}
