//@ why: Two writers, two readers who read in opposite orders (IRIW). A store leaves its buffer for
//@      all threads at once and loads stay in order, so the readers agree in both models.
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

volatile int x, y;

static void *write_x(void *unused) {
    x = 1;
    return unused;
}

static void *write_y(void *unused) {
    y = 1;
    return unused;
}

static void *read_x_y(void *unused) {
    (void)unused;
    int first = x;
    int second = y;
    return (void *)(intptr_t)(first && !second);
}

static void *read_y_x(void *unused) {
    (void)unused;
    int first = y;
    int second = x;
    return (void *)(intptr_t)(first && !second);
}

int main(void) {
    void *(*bodies[4])(void *) = {write_x, write_y, read_x_y, read_y_x};
    pthread_t threads[4];
    void *seen[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], &seen[i]);
    assert(!(seen[2] && seen[3]));
    return 0;
}
