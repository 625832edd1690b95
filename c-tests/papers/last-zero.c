//@ why: One thread looks for the last 0 of an array, the others each make an element one more than
//@      the element before it (P. Abdulla et al., POPL 2014). An increment that waits while its
//@      thread has ended is seen by nobody out of order: each adder stores once, as its last step,
//@      and the seeker stores nothing. So no store waits past a load of its thread: robust under
//@      TSO and PSO.
//@ run: --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { ADDERS = 3 };

volatile int array[ADDERS + 1];

static void *seek(void *unused) {
    (void)unused;
    int at = ADDERS;
    while (array[at] != 0)
        at--;
    return (void *)(intptr_t)at;
}

static void *add(void *at) {
    array[(intptr_t)at] = array[(intptr_t)at - 1] + 1;
    return NULL;
}

int main(void) {
    pthread_t seeker, adders[ADDERS];
    pthread_create(&seeker, NULL, seek, NULL);
    for (int i = 0; i < ADDERS; i++)
        pthread_create(&adders[i], NULL, add, (void *)(intptr_t)(i + 1));
    void *last;
    pthread_join(seeker, &last);
    for (int i = 0; i < ADDERS; i++)
        pthread_join(adders[i], NULL);
    assert((intptr_t)last >= 0 && array[0] == 0);
    return 0;
}
