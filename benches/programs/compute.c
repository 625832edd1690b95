/* 100,000 steps of private computation between three shared accesses in each execution; run REPEAT
 * times over. */
#include <fencehound.h>
#include <pthread.h>

#ifndef REPEAT
#define REPEAT 1
#endif

static unsigned shared;

static unsigned steps(unsigned seed, int count) {
    for (int i = 0; i < count; i++)
        seed = seed * 1664525u + 1013904223u ^ seed >> 7;
    return seed;
}

static void *work(void *unused) {
    unsigned value = shared;
    value = steps(value, 50000);
    shared = value;
    value = steps(value, 50000);
    shared = value;
    return NULL;
}

int main(void) {
    pthread_t thread;
    fh_choose(REPEAT);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
