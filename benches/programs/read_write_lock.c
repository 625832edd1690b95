// The read-write lock of Linux: who does not get it gives back what it has subtracted,
// waits and tries again.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define BIAS 0x00100000
static atomic_int lock = BIAS;
static int shared;
static void rdlock(void) {
    int v = atomic_fetch_sub(&lock, 1);
    while (v <= 0) {
        atomic_fetch_add(&lock, 1);
        while (atomic_load(&lock) <= 0) {
        }
        v = atomic_fetch_sub(&lock, 1);
    }
}
static void wrlock(void) {
    int v = atomic_fetch_sub(&lock, BIAS);
    while (v != BIAS) {
        atomic_fetch_add(&lock, BIAS);
        while (atomic_load(&lock) != BIAS) {
        }
        v = atomic_fetch_sub(&lock, BIAS);
    }
}
static void *reader(void *u) {
    rdlock();
    int r = shared;
    (void)r;
    atomic_fetch_add(&lock, 1);
    return u;
}
static void *writer(void *u) {
    wrlock();
    shared++;
    atomic_fetch_add(&lock, BIAS);
    return u;
}
static void *both(void *u) {
    reader(u);
    return writer(u);
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, reader, 0);
    pthread_create(&t[1], 0, writer, 0);
#ifdef THREE
    pthread_create(&t[2], 0, both, 0);
#endif
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
#ifdef THREE
    pthread_join(t[2], 0);
#endif
    return 0;
}
