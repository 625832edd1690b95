//@ why: WRITERS threads store to one address, in WRITERS! orders, or each to its own, and then no
//@      order is another one than the rest.
//@ verdict: clean
//@ run: -DWRITERS=5 -DPLACE(t)=0 --explorer dpor
//@ executions: 120
//@ run: -DWRITERS=5 -DPLACE(t)=t --explorer dpor
//@ executions: 1
#include <pthread.h>
#include <stdatomic.h>

atomic_int places[WRITERS];

static void *writer(void *number) {
    places[PLACE((long)number)] = 1;
    return NULL;
}

int main(void) {
    pthread_t threads[WRITERS];
    for (long t = 0; t < WRITERS; t++)
        pthread_create(&threads[t], NULL, writer, (void *)t);
    for (int t = 0; t < WRITERS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
