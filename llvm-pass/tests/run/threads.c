// Threads with thread-local variables; each is joined before the next is created, so that the result is always the same.
#include <pthread.h>
#include <stdio.h>
_Thread_local int visible = 5;
static _Thread_local int own;
static __thread char buffer[20];
static _Thread_local struct { int a; int *p; } pair = {7, 0};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int total;
int *of_others;

static int calls(void) {
    static _Thread_local int number = 10;
    return ++number;
}

static int *address(void) { return &visible; }

static void *work(void *argument) {
    int *seen = argument;
    own += 3;
    visible += own + *seen;
    pair.p = &pair.a;
    *pair.p += 1;
    snprintf(buffer, sizeof buffer, "%d %d %d", visible, calls(), calls());
    puts(buffer);
    pthread_mutex_lock(&mutex);
    total += *address() + pair.a;
    pthread_mutex_unlock(&mutex);
    *of_others += 1;
    return (void *)(long)own;
}

int main(void) {
    of_others = &visible;
    pthread_t threads[3];
    long results = 0;
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_create(&threads[i], 0, work, &i);
        pthread_join(threads[i], &result);
        results += (long)result;
    }
    printf("%d %ld %d %d %d %d\n", total, results, visible, own, calls(), buffer[0]);
    pthread_t one;
    int n = 4;
    pthread_create(&one, 0, work, &n);
    pthread_join(one, 0);
    printf("%d %d\n", total, pthread_equal(pthread_self(), one) != 0);
}
