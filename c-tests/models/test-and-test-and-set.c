//@ why: Two threads take a lock by an exchange, and look at it without writing until it is free
//@      before they try again: in one of two orders, whatever rounds of the loops do before.
//@      The exchange that finds the lock taken stores what is there.
//@ verdict: clean
//@ executions: 2
//@ run: --model sc --explorer rsmc
//@ run: --model tso
//@ run: --model armv8
//@ run: --model riscv
//@ run: --model power
//@ run: --model c11
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;
static int counter;

static void *counts(void *unused) {
    while (atomic_exchange(&lock, 1))
        while (lock)
            ;
    counter++;
    lock = 0;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, counts, 0);
    pthread_create(&b, 0, counts, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter - 2;
}
