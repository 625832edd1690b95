//@ why: Threads insert their numbers into one table by compare-and-swap, starting at the hash of
//@      each (C. Flanagan, P. Godefroid, POPL 2005). All accesses to the table are
//@      compare-and-swaps, which commit at once, so no store waits: robust under TSO and PSO.
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SIZE = 8, THREADS = 3, NUMBERS = 2 };

atomic_int table[SIZE];

static void *body(void *argument) {
    int me = (int)(intptr_t)argument;
    for (int i = 0; i < NUMBERS; i++) {
        int number = i * THREADS + me + 1, place = number * 7 % SIZE;
        while (!atomic_compare_exchange_strong_explicit(&table[place], &(int){0}, number,
                                                        memory_order_relaxed, memory_order_relaxed))
            place = (place + 1) % SIZE;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += table[i];
    assert(sum == THREADS * NUMBERS * (THREADS * NUMBERS + 1) / 2);
    return 0;
}
