//@ why: A store of the thread that has released, to the same location, belongs to the release
//@      sequence in C11 and C17, so that who reads it by an acquire sees what came before the
//@      release. C++20 has dropped that: there only read-modify-writes belong to it, and reading
//@      the second store synchronises with nothing. An addition in its place keeps the sequence
//@      under both. The reader reads 0, 1 or 2, and only after 2 the data, which it then may
//@      see or not where nothing orders it: 4 executions in the place of 3.
//@ run: --model c11
//@ verdict: clean
//@ executions: 3
//@ run: --model c11 --release-sequences c11
//@ verdict: clean
//@ executions: 3
//@ run: --model c11 --release-sequences c++20
//@ verdict: violations
//@ executions: 4
//@ race: write read
//@ run: -DUPDATE --model c11 --release-sequences c++20
//@ verdict: clean
//@ executions: 3
//@ run: -DUPDATE --model c11
//@ verdict: clean
//@ executions: 3
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *writer(void *unused) {
    data = 1; // @write
    atomic_store_explicit(&flag, 1, memory_order_release);
#ifdef UPDATE
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
#else
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
#endif
    return unused;
}

static void *reader(void *unused) {
    int seen = 0;
    if (atomic_load_explicit(&flag, memory_order_acquire) == 2)
        seen = data; // @read
    (void)seen;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&other, 0, reader, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
