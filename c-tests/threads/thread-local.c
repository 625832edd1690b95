//@ why: Each thread has its own copy of a _Thread_local variable, with its initial value, in every
//@      execution. Such variables are private here, so that threads which use nothing else have no
//@      events: two creations and two joins are one execution.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 1
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static _Thread_local int counter = 7;
static _Thread_local char zero[100];

static void count(void) {
    static _Thread_local int calls;
    calls++;
    counter += calls;
    zero[calls]++;
}

static void *body(void *times) {
    assert(counter == 7 && zero[1] == 0);
    for (intptr_t i = 0; i < (intptr_t)times; i++)
        count();
    return (void *)(intptr_t)counter;
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    count();
    pthread_create(&threads[0], NULL, body, (void *)2);
    pthread_create(&threads[1], NULL, body, (void *)3);
    pthread_join(threads[0], &results[0]);
    pthread_join(threads[1], &results[1]);
    assert((intptr_t)results[0] == 7 + 1 + 2);
    assert((intptr_t)results[1] == 7 + 1 + 2 + 3);
    assert(counter == 8 && zero[1] == 1 && zero[2] == 0);
    return 0;
}
