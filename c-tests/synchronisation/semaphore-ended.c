//@ why: The semaphore ends at any time from the creation of the thread that waits for it on. It is
//@      0, so the thread cannot have it before that, and comes to what is none any more: one
//@      class. Its access comes before or after the end: 2 interleavings.
//@ verdict: violations
//@ misuse: wait end
//@ run: --explorer dpor
//@ executions: 1
//@ run: --preemptions none
//@ executions: 2
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int x;

static void *body(void *unused) {
    x = 1;
    sem_wait(&semaphore); // @wait
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, body, NULL);
    sem_destroy(&semaphore); // @end
    pthread_join(thread, NULL);
    return 0;
}
