//@ why: Lamport's fast mutual exclusion (ACM TOCS 1987) for two threads. Each announces itself in
//@      b[i] and x and then looks at y, sets y and then looks at x again; who gives way looks at
//@      the other's b. Each of these looks may go ahead of the store before it, unless a full fence
//@      keeps it. The reports without fences are in benches/PAPERS.md; here is what the fenced one
//@      must be.
//@ run: -DFENCED --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

volatile int x, y;
volatile bool b[3];
int entered;

// Threads are 1 and 2.
static void lock(int me) {
    for (;;) {
        b[me] = true;
        FENCE(1, memory_order_release);
        x = me;
        FENCE(2, memory_order_seq_cst);
        if (y != 0) {
            b[me] = false;
            while (y != 0)
                ;
            continue;
        }
        y = me;
        FENCE(3, memory_order_seq_cst);
        if (x == me)
            return;
        b[me] = false;
        FENCE(4, memory_order_seq_cst);
        for (int i = 1; i <= 2; i++)
            while (b[i])
                ;
        if (y == me)
            return;
        while (y != 0)
            ;
    }
}

static void unlock(int me) {
    FENCE(5, memory_order_release);
    y = 0;
    FENCE(6, memory_order_release);
    b[me] = false;
}

static void *body(void *me) {
    lock((int)(intptr_t)me);
    int before = entered;
    entered = before + 1;
    unlock((int)(intptr_t)me);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(entered == 2);
    return 0;
}
