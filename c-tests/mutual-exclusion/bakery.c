//@ why: TODO
//@ run: --preemptions 1
//@ verdict: violations
//@ run: -DFENCED --preemptions 3
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifdef FENCED
#define FULL_FENCE() atomic_thread_fence(memory_order_seq_cst)
#define STORE_FENCE() atomic_thread_fence(memory_order_release)
#else
#define FULL_FENCE() ((void)0)
#define STORE_FENCE() ((void)0)
#endif

volatile int choosing[2], number[2];
int entered;

static void lock(int me) {
    int other = 1 - me;
    choosing[me] = 1; // @choose
    FULL_FENCE();
    int mine = number[other] + 1; // @look
    number[me] = mine;            // @take
    STORE_FENCE();
    choosing[me] = 0; // @chosen
    FULL_FENCE();
    while (choosing[other]) // @wait-choice
        ;
    for (;;) {
        int theirs = number[other]; // @wait-turn
        if (theirs == 0 || mine < theirs || (mine == theirs && me < other))
            break;
    }
}

static void unlock(int me) {
    STORE_FENCE();
    number[me] = 0; // @leave
}

static void *body(void *me) {
    lock((int)(intptr_t)me);
    int before = entered; // @read
    entered = before + 1; // @write
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
