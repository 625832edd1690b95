//@ why: Calls through pointers, in tables and structs, of functions that access shared memory and
//@      of library functions: what is called is checked all the same. The sum does not depend on
//@      order, since each addition is atomic.
//@ run: --preemptions 2
//@ verdict: clean
//@ run: -DDIVIDED --preemptions 2
//@ verdict: violations
//@ assertion: check
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct operation {
    void (*apply)(int);
    int argument;
};

atomic_int sum;

static void add(int value) {
#ifdef DIVIDED
    sum = sum + value;
#else
    sum += value;
#endif
}

static void subtract(int value) { add(-value); }

static const struct operation operations[2] = {{add, 5}, {subtract, 3}};

static void *body(void *index) {
    const struct operation *operation = &operations[(intptr_t)index];
    void *(*allocate)(size_t) = malloc;
    int *copy = allocate(sizeof *copy);
    *copy = operation->argument;
    operation->apply(*copy);
    free(copy);
    return NULL;
}

int main(void) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = pthread_create;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(sum == 2); // @check
    return 0;
}
