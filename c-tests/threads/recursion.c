//@ why: Recursive functions with local arrays, in two threads at once: each thread has a stack of
//@      its own, deep enough, and its locals are its own although their addresses are handed down.
//@ run: --preemptions 1
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static long handed_down(const long *above, int depth) {
    long here[4];
    for (int i = 0; i < 4; i++)
        here[i] = above[i] + 1;
    return depth == 0 ? here[3] : handed_down(here, depth - 1) + here[0] - here[3];
}

static long deep(int depth) {
    volatile char frame[100];
    frame[depth % 100] = 1;
    return depth == 0 ? 0 : frame[depth % 100] + deep(depth - 1);
}

static void *body(void *unused) {
    (void)unused;
    long zero[4] = {0};
    assert(deep(5000) == 5000);
    return (void *)(intptr_t)handed_down(zero, 9);
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &results[i]);
    assert((intptr_t)results[0] == 10 && (intptr_t)results[1] == 10);
    return 0;
}
