//@ why: A recursive function with local arrays, in two threads at once: each has a stack of its
//own,
//@      deep enough, and its locals are not shared although their addresses are handed down.
//@ run: --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static long depth_sum(const long *above, int depth) {
    long here[64];
    for (int i = 0; i < 64; i++)
        here[i] = above[i] + 1;
    return depth == 0 ? here[63] : depth_sum(here, depth - 1) + here[0] - here[63];
}

static void *body(void *unused) {
    (void)unused;
    long zero[64] = {0};
    return (void *)(intptr_t)depth_sum(zero, 999);
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &results[i]);
    assert((intptr_t)results[0] == 1000 && (intptr_t)results[1] == 1000);
    return 0;
}
