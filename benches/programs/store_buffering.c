/* Store buffering with its creates and joins, 8 events, all 19 executions; run REPEAT times over.
 */
#include <fencehound.h>
#include <pthread.h>

#ifndef REPEAT
#define REPEAT 1
#endif

static int x, y;

static void *left(void *unused) {
    x = 1;
    return (void *)(long)y;
}

static void *right(void *unused) {
    y = 1;
    return (void *)(long)x;
}

int main(void) {
    pthread_t one, other;
    fh_choose(REPEAT);
    pthread_create(&one, NULL, left, NULL);
    pthread_create(&other, NULL, right, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
