//@ why: 255 threads, main included, and no more.
//@ verdict: clean
//@ run: -DTHREADS=254 --preemptions 0
//@ executions: 1
//@ run: -DTHREADS=255 --preemptions 0
//@ verdict: unsupported
//@ unsupported: create 255 threads
#include <pthread.h>
#include <stddef.h>

static void *body(void *unused) { return unused; }

int main(void) {
    static pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, body, NULL); // @create
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
