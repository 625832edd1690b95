//@ why: The divisor is zero between the two stores of the other thread and nowhere else.
//@ run: --preemptions 0
//@ verdict: clean
//@ run: --preemptions 1
//@ verdict: violations
//@ crash: division
#include <pthread.h>
#include <stdint.h>

volatile int divisor = 1;

static void *set(void *unused) {
    divisor = 0;
    divisor = 2;
    return unused;
}

static void *divide(void *unused) {
    (void)unused;
    int value = divisor;
    return (void *)(intptr_t)(12 / value); // @division
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, set, NULL);
    pthread_create(&threads[1], NULL, divide, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
