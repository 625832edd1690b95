//@ why: A thread makes room on its stack for as many bytes as it has read, and calls a function:
//@      where that one's variable is depends on the size, though nothing in the function says
//@      so. The function publishes the variable, and another thread, which finds it, writes to
//@      it: so it is found only when the size is known. The size is read as it was or as the
//@      other thread writes it: two executions under every model. With BLOCK the room is that of
//@      an array that is gone again when the function is called, which then is where it is
//@      whatever the size.
//@ executions: 2
//@ run: --model tso
//@ verdict: clean
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
//@ run: --explorer dpor
//@ verdict: clean
//@ run: -DBLOCK --model armv8
//@ verdict: clean
//@ models: armv8 harmless
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int size = 8;
static _Atomic(atomic_int *) shared;
static int got;

__attribute__((noinline)) static void waits(char *room, int bytes) {
    atomic_int written = 0;
    atomic_store_explicit(&shared, &written, memory_order_release);
    memset(room, 1, (unsigned long)bytes);
    while (!atomic_load_explicit(&written, memory_order_acquire))
        ;
    got = atomic_load_explicit(&written, memory_order_relaxed) + room[bytes - 1];
}

static void *makes_room(void *unused) {
    int bytes = atomic_load_explicit(&size, memory_order_relaxed);
#ifdef BLOCK
    char room[16];
    {
        char gone[bytes * 16];
        memset(gone, 1, sizeof gone);
        room[0] = gone[bytes - 1];
    }
#else
    char *room = alloca((unsigned long)bytes * 16);
#endif
    waits(room, bytes);
    return unused;
}

static void *writes(void *unused) {
    atomic_store_explicit(&size, 16, memory_order_relaxed);
    atomic_int *found;
    while (!(found = atomic_load_explicit(&shared, memory_order_acquire)))
        ;
    atomic_store_explicit(found, 1, memory_order_release);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, makes_room, 0);
    pthread_create(&b, 0, writes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(got == 2);
}
