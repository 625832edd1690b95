//@ why: A wait that counts how often it has looked is never in a state that it was in before, and
//@      never ends if the flag is never set: no wait loop, but one that goes round until the limit
//@      of events. It is named, not the loop around it nor the one before it.
//@ run: --max-events 1000
//@ verdict: incomplete
//@ stopped-by: events
//@ busiest-loop: looks
//@ run: -DSET --max-events 1000 --preemptions 0
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int flag, numbers[10];

static void *body(void *unused) {
    int sum = 0, looks = 0;
    for (int i = 0; i < 10; i++)
        sum += numbers[i];
    for (int round = 0; round < 2; round++)
        while (!flag) // @looks
            looks++;
    if (looks + sum < 0)
        puts("never");
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef SET
    flag = 1;
#endif
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    return 0;
}
