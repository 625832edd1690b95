// A lock at which N threads look until it is free before they try to take it.

#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
static atomic_int lock;
static int count;
static void *worker(void *u) {
    for (;;) {
        while (atomic_load(&lock)) {
        }
        int e = 0;
        if (atomic_compare_exchange_strong(&lock, &e, 1))
            break;
    }
    count++;
    atomic_store(&lock, 0);
    return u;
}
int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return count != N;
}
