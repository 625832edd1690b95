/* Store buffering with its creates and joins, 8 events, all 19 executions; run argv[1] times over.
 */
#include <fencehound.h>
#include <pthread.h>
#include <stdlib.h>

static int x, y;

static void *left(void *unused) {
    x = 1;
    return (void *)(long)y;
}

static void *right(void *unused) {
    y = 1;
    return (void *)(long)x;
}

int main(int argc, char **argv) {
    pthread_t one, other;
    fh_choose(argc > 1 ? strtoul(argv[1], NULL, 10) : 1);
    pthread_create(&one, NULL, left, NULL);
    pthread_create(&other, NULL, right, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
