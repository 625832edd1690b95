//@ why: Addresses of blocks depend on the thread and on what it has allocated before, not on the
//@      schedule, so a program that goes one way or the other by an address (as a hash table does)
//@      is deterministic: the bit of the address decides whether there is one more event.
//@ run: --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

volatile int event;

static void *body(void *unused) {
    void *block = malloc(24);
    event = 1;
    if ((uintptr_t)block >> 5 & 1)
        event = 2;
    event = (uintptr_t)malloc(8) >> 4 & 7;
    int local;
    event = (uintptr_t)&local >> 4 & 7;
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
