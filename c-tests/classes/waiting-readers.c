//@ why: READERS threads wait for the last of WRITES stores of one thread. Without the rounds
//@      that see an earlier value, in which nothing happens, one execution is left: each
//@      reader reads the last value. A reader can be led to any of the WRITES earlier values
//@      instead, where its round fails and nobody need look further, while the other readers
//@      stay at what they read. So there are no more than 1 + WRITES * READERS runs; the
//@      rounds that fail have 2^(WRITES * READERS) combinations.
//@ verdict: clean
//@ executions: 1
//@ run: -DWRITES=3 -DREADERS=2 --explorer dpor
//@ runs: 7
//@ run: -DWRITES=3 -DREADERS=2 --explorer dpor --strict
//@ run: -DWRITES=10 -DREADERS=2 --explorer dpor
//@ runs: 21
//@ run: -DWRITES=10 -DREADERS=5 --explorer dpor
//@ runs: 51
#include <pthread.h>
#include <stdatomic.h>

atomic_int place;

static void *writer(void *unused) {
    for (int value = 1; value <= WRITES; value++)
        atomic_store(&place, value);
    return unused;
}

static void *reader(void *unused) {
    while (atomic_load(&place) != WRITES)
        ;
    return unused;
}

int main(void) {
    pthread_t threads[1 + READERS];
    pthread_create(&threads[0], NULL, writer, NULL);
    for (int t = 1; t <= READERS; t++)
        pthread_create(&threads[t], NULL, reader, NULL);
    for (int t = 0; t <= READERS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
