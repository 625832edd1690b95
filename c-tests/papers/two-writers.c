//@ why: Figure 8 of the technical report to TACAS 2011, and why SOBER can see more in one
//@      execution: a write of another thread to the same place makes the first monitor commit the
//@      store that waits there, and SOBER does not. Over all interleavings both see it: store
//@      buffering between a and b.
//@ run: --preemptions none
//@ verdict: violations
//@ tso: set-a -> get-a, set-b -> get-b
//@ pso: set-a -> get-a, set-b -> get-b
//@ run: --preemptions none --monitor sober,exact_tso
//@ verdict: violations
//@ sober: set-a -> get-a, set-b -> get-b
//@ exact_tso: set-a -> get-a, set-b -> get-b
#include <pthread.h>
#include <stddef.h>

volatile int a, b;

static void *one(void *unused) {
    a = 1;   // @set-a
    (void)b; // @get-b
    return unused;
}

static void *two(void *unused) {
    a = 1;
    return unused;
}

static void *three(void *unused) {
    b = 1;   // @set-b
    (void)a; // @get-a
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_create(&threads[2], NULL, three, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
