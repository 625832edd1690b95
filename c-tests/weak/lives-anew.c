//@ why: A local variable lives anew each time its function is called, at the same place. Its
//@      address is handed over behind a release fence and taken before an acquire fence, and
//@      so is the word that it was used: each use is of the variable that lives then (C11,
//@      7.17.4).
//@ run: --model sc
//@ verdict: clean
//@ run: --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: --model power
//@ verdict: clean
//@ models: power harmless
//@ run: --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) shared;
static atomic_int used;

static void hand_over(int number) {
    int message = number;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&shared, &message, memory_order_relaxed);
    while (atomic_load_explicit(&used, memory_order_acquire) != number)
        continue;
}

static void *sender(void *unused) {
    hand_over(1);
    hand_over(2);
    return unused;
}

static void *receiver(void *unused) {
    for (int number = 1; number <= 2; number++) {
        int *message = 0;
        while (!message)
            message = atomic_load_explicit(&shared, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        (void)*(volatile int *)message;
        atomic_store_explicit(&shared, 0, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&used, number, memory_order_relaxed);
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
