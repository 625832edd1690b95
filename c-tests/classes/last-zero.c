//@ why: Writer t makes a[t] one more than a[t-1], and a reader looks for the last zero. Of two
//@      neighbouring writers only the order of the store and the load of a[t] counts, which gives
//@      2^(n-1) classes of the writers; the reader stops at the first a[i] whose store comes after
//@      its load, which makes it (n+3) * 2^(n-2) together.
//@ verdict: clean
//@ run: -DWRITERS=2 --explorer dpor
//@ executions: 5
//@ run: -DWRITERS=5 --explorer dpor
//@ executions: 64
//@ run: -DWRITERS=7 --explorer dpor
//@ executions: 320
#include <pthread.h>
#include <stdatomic.h>

atomic_int a[WRITERS + 1];

static void *reader(void *unused) {
    int i = WRITERS;
    while (a[i])
        i--;
    return unused;
}

static void *writer(void *place) {
    long t = (long)place;
    a[t] = a[t - 1] + 1;
    return NULL;
}

int main(void) {
    pthread_t threads[WRITERS + 1];
    pthread_create(&threads[0], NULL, reader, NULL);
    for (long t = 1; t <= WRITERS; t++)
        pthread_create(&threads[t], NULL, writer, (void *)t);
    for (int t = 0; t <= WRITERS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
