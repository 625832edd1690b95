//@ why: One thread reads x, makes room on its stack for that many numbers, and publishes where;
//@      the other one reads that, and writes x if there is something. Where the room is depends
//@      on x, so nobody reads it before x was read: the second thread finds nothing, and x is 0
//@      as it was or as written (2 executions), or finds it, and x was read before it was
//@      written (1). If the size does not depend on x, machines that load late may publish
//@      first (LB), and x is read as 1: one execution more.
//@ executions: 3
//@ run: --model power
//@ verdict: clean
//@ models: power harmless
//@ run: --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DSIZE=4 --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSIZE=4 --model armv8
//@ verdict: violations
//@ executions: 4
//@ models: armv8 breaks
//@ assertion: late
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef SIZE
#define SIZE (read + 4)
#endif

static atomic_int x;
static _Atomic(int *) room;
static int seen;

static void *makes_room(void *unused) {
    int read = atomic_load_explicit(&x, memory_order_relaxed);
    int *numbers = alloca(sizeof(int) * SIZE);
    atomic_store_explicit(&room, numbers, memory_order_relaxed);
    seen = read;
    return unused;
}

static void *looks(void *unused) {
    int found = atomic_load_explicit(&room, memory_order_relaxed) != 0;
    atomic_store_explicit(&x, found, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, makes_room, 0);
    pthread_create(&b, 0, looks, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen == 0); // @late
}
