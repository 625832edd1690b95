//@ why: Store buffering where a thread stores one half of a variable and the other one loads all of
//@      it is store buffering: the bytes overlap. Where each loads the half that nobody stores, no
//@      byte is in conflict, although the variables are the same.
//@ run: -DLOAD=whole --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DLOAD=halves[1] --preemptions none
//@ verdict: clean
//@ run: -DLOAD=halves[0] --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

volatile union {
    uint64_t whole;
    uint32_t halves[2];
} x, y;

static void *left(void *unused) {
    (void)unused;
    x.halves[0] = 1;                  // @store-x
    return (void *)(uintptr_t)y.LOAD; // @load-y
}

static void *right(void *unused) {
    (void)unused;
    y.halves[0] = 1;                  // @store-y
    return (void *)(uintptr_t)x.LOAD; // @load-x
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(x.whole == 1 && y.whole == 1);
    return 0;
}
