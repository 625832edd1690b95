//@ why: Store buffering (store-buffering.c) with C11 atomics, to see what each order becomes.
//@      Without a bound, two created threads of two events each have 19 executions, whatever the
//@      orders: a fence that an order implies is part of its access.
//@ executions: 19
//@ run: -DSTORE=relaxed --preemptions none
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DSTORE=release -DLOAD=acquire --preemptions none
//@ why: Release and acquire say nothing about a store and a later load.
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DSTORE=seq_cst -DLOAD=seq_cst --preemptions none
//@ why: A sequentially consistent store ends with a full fence.
//@ verdict: clean
//@ run: -DEXCHANGE -DSTORE=relaxed --preemptions none
//@ why: An exchange reaches memory at once, in every order and in both models.
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef LOAD
#define LOAD relaxed
#endif
#define JOINED(a, b) a##b
#define ORDER(name) JOINED(memory_order_, name)

atomic_int x, y;

static void *left(void *unused) {
    (void)unused;
#ifdef EXCHANGE
    (void)atomic_exchange_explicit(&x, 1, ORDER(STORE));
#else
    atomic_store_explicit(&x, 1, ORDER(STORE)); // @store-x
#endif
    return (void *)(intptr_t)atomic_load_explicit(&y, ORDER(LOAD)); // @load-y
}

static void *right(void *unused) {
    (void)unused;
#ifdef EXCHANGE
    (void)atomic_exchange_explicit(&y, 1, ORDER(STORE));
#else
    atomic_store_explicit(&y, 1, ORDER(STORE)); // @store-y
#endif
    return (void *)(intptr_t)atomic_load_explicit(&x, ORDER(LOAD)); // @load-x
}

int main(void) {
    pthread_t threads[2];
    void *seen[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], &seen[0]);
    pthread_join(threads[1], &seen[1]);
    assert(seen[0] || seen[1]);
    return 0;
}
