//@ why: Each of READERS threads loads what one thread stores, before or after that: 2^READERS
//@      classes.
//@ verdict: clean
//@ run: -DREADERS=1 --explorer dpor
//@ executions: 2
//@ run: -DREADERS=8 --explorer dpor
//@ executions: 256
#include <pthread.h>
#include <stdatomic.h>

atomic_int shared;

static void *reader(void *unused) {
    (void)atomic_load(&shared);
    return unused;
}

static void *writer(void *unused) {
    shared = 1;
    return unused;
}

int main(void) {
    pthread_t threads[READERS + 1];
    for (int t = 0; t < READERS; t++)
        pthread_create(&threads[t], NULL, reader, NULL);
    pthread_create(&threads[READERS], NULL, writer, NULL);
    for (int t = 0; t <= READERS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
