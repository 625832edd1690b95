//@ why: Double-checked locking of one instance. Who finds the instance without the lock reads what
//@      is in it. TSO keeps that before the store that publishes the instance; PSO does not.
//@ run: --preemptions 2
//@ verdict: violations
//@ pso: fill -> use
//@ run: -DFENCED --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

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

struct singleton {
    volatile int value;
};

struct singleton *volatile instance;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct singleton *get(void) {
    if (!instance) {
        pthread_mutex_lock(&mutex);
        if (!instance) {
            struct singleton *one = malloc(sizeof *one);
            one->value = 7; // @fill
            FENCE(1, memory_order_release);
            instance = one;
        }
        pthread_mutex_unlock(&mutex);
    }
    return instance;
}

static void *body(void *unused) {
    assert(get()->value == 7); // @use
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
