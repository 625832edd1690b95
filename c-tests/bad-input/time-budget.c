//@ why: Ten threads of ten accesses each have more interleavings than could ever be explored: the
//@      time ends the search, and the result says so.
//@ run: --preemptions none --time 300ms
//@ verdict: incomplete
//@ stopped-by: time
#include <pthread.h>

volatile int event;

static void *body(void *unused) {
    for (int i = 0; i < 10; i++)
        event = i;
    return unused;
}

int main(void) {
    pthread_t threads[10];
    for (int i = 0; i < 10; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 10; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
