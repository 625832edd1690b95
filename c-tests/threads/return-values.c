//@ why: A join gives what the thread's function returned or what the thread gave to pthread_exit,
//@      also from a function further down, and also where the thread ended long before.
//@ run: --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void *returns(void *argument) { return (void *)((intptr_t)argument + 1); }

static void leave(intptr_t value) {
    if (value > 0)
        leave(value - 1);
    pthread_exit((void *)(value + 100));
}

static void *exits(void *argument) {
    leave((intptr_t)argument);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    void *values[3];
    pthread_create(&threads[0], NULL, returns, (void *)1);
    pthread_create(&threads[1], NULL, exits, (void *)5);
    pthread_create(&threads[2], NULL, returns, (void *)-1);
    for (int i = 2; i >= 0; i--)
        assert(pthread_join(threads[i], &values[i]) == 0);
    assert((intptr_t)values[0] == 2);
    assert((intptr_t)values[1] == 100);
    assert((intptr_t)values[2] == 0);
    return 0;
}
