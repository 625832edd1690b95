/* 100,000 steps of private computation between three shared accesses in each execution; run argv[1]
 * times over. */
#include <fencehound.h>
#include <pthread.h>
#include <stdlib.h>

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

int main(int argc, char **argv) {
    pthread_t thread;
    fh_choose(argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
