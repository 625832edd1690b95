//@ why: A stack under a mutex, one thread pushes and the other pops (SV-COMP). Without races no
//@      model shows more than SC does. The popper may come first and find nothing; UNCHECKED
//@      asserts that it always finds something.
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DUNCHECKED --preemptions none
//@ verdict: violations
//@ assertion: found
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { SIZE = 3 };

int stack[SIZE], top;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *pusher(void *unused) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&mutex);
        assert(top < SIZE);
        stack[top++] = i;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *popper(void *unused) {
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&mutex);
        bool is_empty = top == 0;
        if (!is_empty)
            top--;
        pthread_mutex_unlock(&mutex);
#ifdef UNCHECKED
        assert(!is_empty); // @found
#endif
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, pusher, NULL);
    pthread_create(&threads[1], NULL, popper, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(0 <= top && top <= SIZE);
    return 0;
}
