//@ why: A division waits for its operands, and nothing that comes later waits for it: each of the
//@      threads may store before its load has returned, so all four combinations of what they
//@      read are there on ARM, RISC-V and POWER. On TSO not both read the later store.
//@ verdict: clean
//@ run: --model armv8
//@ executions: 4
//@ outcomes: main.0: 6; main.1: 0 | main.0: 6; main.1: 1 | main.0: 3; main.1: 0 |
//@           main.0: 3; main.1: 1
//@ run: --model riscv
//@ executions: 4
//@ outcomes: main.0: 6; main.1: 0 | main.0: 6; main.1: 1 | main.0: 3; main.1: 0 |
//@           main.0: 3; main.1: 1
//@ run: --model power
//@ executions: 4
//@ outcomes: main.0: 6; main.1: 0 | main.0: 6; main.1: 1 | main.0: 3; main.1: 0 |
//@           main.0: 3; main.1: 1
//@ run: --model tso
//@ executions: 3
//@ outcomes: main.0: 6; main.1: 0 | main.0: 6; main.1: 1 | main.0: 3; main.1: 0
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x = 1, y;

static void *divide(void *argument) {
    int quotient = 6 / atomic_load_explicit(&x, memory_order_relaxed);
    fh_observe(quotient);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return argument;
}

static void *multiply(void *argument) {
    int read = atomic_load_explicit(&y, memory_order_relaxed);
    fh_observe(read);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, divide, 0);
    pthread_create(&b, 0, multiply, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
