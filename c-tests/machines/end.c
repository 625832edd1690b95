//@ why: What main stores last waits in its buffer to the end, where all stores commit, in either
//@      order under PSO. Nobody reads them, so nothing can fail; and that the end has decisions of
//@      its own must not look like another program when the next execution begins alike.
//@ run: --model tso --explorer bounded --preemptions none
//@ verdict: clean
//@ run: --model pso --explorer bounded --preemptions none
//@ verdict: clean
//@ run: -DBOTH --model pso --explorer bounded --preemptions none
//@ verdict: clean
#include <pthread.h>

static int one, other;

static void *thread(void *unused) {
    one = 1;
    other = 1;
    return unused;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
#ifndef BOTH
    pthread_join(id, NULL);
#endif
    one = 2;
    other = 2;
    return 0;
}
