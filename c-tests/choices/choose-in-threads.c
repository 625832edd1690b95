//@ why: A choice is made by a thread at its place in the schedule, and is no event: for each of the
//@      2 x 2 values the two threads of one access each have 5 executions.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 20
#include <fencehound.h>
#include <pthread.h>

volatile unsigned long chosen;

static void *body(void *unused) {
    chosen = fh_choose(2);
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
