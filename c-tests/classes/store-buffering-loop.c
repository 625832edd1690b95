//@ why: Two threads, ROUNDS times each: store the round's number to the own variable, load the
//@      other's. A class is what the loads read. Of the interleavings of two threads of 2 * ROUNDS
//@      accesses, the numbers of different tuples of values are 3, 19, 141, 1107 (by an
//@      enumeration that knows nothing of the tool), and 8953. All accesses are
//@      sequentially consistent: no store is delayed past a load. Without a preemption one thread
//@      runs after the other; with one, one of them stands after each of its accesses while the
//@      other one runs: 4 * ROUNDS classes of 2 rounds and more.
//@ verdict: clean
//@ run: -DROUNDS=1 --explorer dpor
//@ executions: 3
//@ run: -DROUNDS=3 --explorer dpor
//@ executions: 141
//@ run: -DROUNDS=4 --explorer dpor
//@ executions: 1107
//@ run: -DROUNDS=5 --explorer dpor
//@ executions: 8953
//@ run: -DROUNDS=5 --explorer dpor --preemptions 0
//@ executions: 2
//@ run: -DROUNDS=5 --explorer dpor --preemptions 1
//@ executions: 20
#include <pthread.h>
#include <stdatomic.h>

atomic_int left, right;

static void *go_left(void *unused) {
    for (int i = 1; i <= ROUNDS; i++) {
        left = i;
        (void)atomic_load(&right);
    }
    return unused;
}

static void *go_right(void *unused) {
    for (int i = 1; i <= ROUNDS; i++) {
        right = i;
        (void)atomic_load(&left);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, go_left, NULL);
    pthread_create(&threads[1], NULL, go_right, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
