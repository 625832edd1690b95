//@ why: The waiting thread looks at the data in each round in which the flag is not raised, and
//@      keeps nothing of it, so that such a round can be left out. Only such a round reads the
//@      data while the other thread may write it: the race is in no execution without one. Where
//@      the data is atomic nothing races.
//@ run: --model c11
//@ verdict: violations
//@ race: write read
//@ run: --monitor race
//@ verdict: violations
//@ race: write read
//@ run: --monitor race --explorer bounded
//@ verdict: violations
//@ race: write read
//@ run: -DATOMIC --model c11
//@ verdict: clean
//@ run: -DATOMIC --monitor race
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>

#ifdef ATOMIC
static atomic_int data;
#else
static volatile int data;
#endif
static atomic_int raised;

static void *wait(void *unused) {
    while (!atomic_load_explicit(&raised, memory_order_relaxed)) {
        (void)data; // @read
    }
    return unused;
}

int main(void) {
    pthread_t waiting;
    pthread_create(&waiting, 0, wait, 0);
    data = 1; // @write
    atomic_store(&raised, 1);
    pthread_join(waiting, 0);
    return 0;
}
