//@ why: One thread makes i = i + j, the other j = j + i, ROUNDS times each, and main looks at both
//@      before it joins them. The numbers are those that other tools with optimal exploration
//@      give for this family. The sums can be no greater than Fibonacci numbers.
//@ verdict: clean
//@ run: -DROUNDS=3 --explorer dpor
//@ executions: 1698
//@ run: -DROUNDS=4 --explorer dpor
//@ executions: 19605
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int i = 1, j = 1;

static void *first(void *unused) {
    for (int round = 0; round < ROUNDS; round++)
        i = i + j;
    return unused;
}

static void *second(void *unused) {
    for (int round = 0; round < ROUNDS; round++)
        j = j + i;
    return unused;
}

int main(void) {
    const int fibonacci[] = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    int seen_i = i, seen_j = j;
    assert(seen_i <= fibonacci[2 * ROUNDS + 1] && seen_j <= fibonacci[2 * ROUNDS + 1]);
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
