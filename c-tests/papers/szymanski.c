//@ why: Szymanski's mutual exclusion (ICS 1988) for two threads, as in SV-COMP. Each goes through
//@      the waiting room by changes of its own flag, and looks at the other's flag after each:
//@      store buffering every time, which the full fences forbid. The reports without fences are in
//@      benches/PAPERS.md; here is what the fenced one must be.
//@ run: -DFENCED --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
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

volatile int flag[2];
int entered;

static void lock(int me) {
    volatile int *other = &flag[1 - me];
    flag[me] = 1;
    FENCE(1, memory_order_seq_cst);
    while (*other >= 3)
        ;
    flag[me] = 3;
    FENCE(2, memory_order_seq_cst);
    if (*other == 1) {
        flag[me] = 2;
        FENCE(3, memory_order_seq_cst);
        while (*other != 4)
            ;
    }
    flag[me] = 4;
    FENCE(4, memory_order_seq_cst);
    if (me == 1)
        while (*other >= 2)
            ;
}

static void unlock(int me) {
    volatile int *other = &flag[1 - me];
    if (me == 0)
        while (2 <= *other && *other <= 3)
            ;
    FENCE(5, memory_order_release);
    flag[me] = 0;
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
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(entered == 2);
    return 0;
}
