// A ring under a mutex with two condition variables, between two threads.
#include <pthread.h>
#include <stdio.h>
#define SIZE 64
#define ITEMS 4000000
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t some = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int ring[SIZE], head, tail;
static long sum;
static void put(int value) {
    pthread_mutex_lock(&lock);
    while (tail - head == SIZE)
        pthread_cond_wait(&room, &lock);
    ring[tail++ % SIZE] = value;
    pthread_cond_signal(&some);
    pthread_mutex_unlock(&lock);
}
static int get(void) {
    pthread_mutex_lock(&lock);
    while (tail == head)
        pthread_cond_wait(&some, &lock);
    int value = ring[head++ % SIZE];
    pthread_cond_signal(&room);
    pthread_mutex_unlock(&lock);
    return value;
}
static void *produce(void *unused) {
    for (int i = 0; i < ITEMS; i++)
        put(i);
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, produce, 0);
    for (int i = 0; i < ITEMS; i++)
        sum += get();
    pthread_join(t, 0);
    printf("%ld\n", sum);
    return sum != (long)ITEMS * (ITEMS - 1) / 2;
}
