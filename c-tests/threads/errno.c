//@ why: Each thread has its own errno, which other threads leave alone at every switch, and which
//@      is zero at its start, in every execution.
//@ run: --preemptions none
//@ verdict: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

volatile int event;

static void *body(void *number) {
    assert(errno == 0);
    errno = (int)(intptr_t)number;
    event = 1;
    assert(errno == (int)(intptr_t)number);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    assert(errno == 0);
    errno = 77;
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(errno == 77);
    return 0;
}
