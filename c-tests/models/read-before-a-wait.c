//@ why: A reader reads a variable, then waits for a flag, and keeps in each round what the variable
//@      is if it is 3. On machines that read out of order it may look into a second round before it
//@      is known that the first one kept nothing new: then the second one is not there. Before the
//@      wait it has read 0 or 3, and it keeps a 3 or nothing, in any combination on each machine.
//@ verdict: clean
//@ outcomes: main.1: 0 0 | main.1: 0 3 | main.1: 3 0 | main.1: 3 3
//@ run: --model tso
//@ run: --model c11
//@ run: --model armv8
//@ run: --model riscv
//@ run: --model power
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int number, raised;

static void *reads(void *unused) {
    int kept = 0;
    fh_observe(atomic_load_explicit(&number, memory_order_acquire));
    while (!atomic_load_explicit(&raised, memory_order_acquire)) {
        if (atomic_load_explicit(&number, memory_order_relaxed) == 3)
            kept = atomic_load_explicit(&number, memory_order_relaxed);
    }
    fh_observe(kept);
    return unused;
}

static void *writes(void *unused) {
    atomic_store_explicit(&number, 3, memory_order_release);
    atomic_store_explicit(&raised, 1, memory_order_release);
    atomic_store_explicit(&number, 0, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writes, NULL);
    pthread_create(&threads[1], NULL, reads, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
