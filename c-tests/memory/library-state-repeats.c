//@ why: What the C library remembers must begin anew in each execution, too: the sequence of rand
//@      decides here how many events a thread has. Were it not reset, the same schedule would give
//@      other events, which is said as `nondeterministic`.
//@ run: --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdlib.h>

volatile int event;

static void *body(void *unused) {
    for (int i = rand() % 3; i >= 0; i--)
        event = i;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
