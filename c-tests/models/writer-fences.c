//@ why: The two stores of message passing with each fence of POWER between them (sync, lwsync,
//@      eieio, isync), and a reader
//@      with an address dependency: sync, lwsync and eieio order stores, isync does not (Herding
//@      Cats, MP+sync+addr, +lwsync+addr, +eieio+addr forbidden, MP+isync+addr allowed).
//@ run: -DFENCE=0 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DFENCE=1 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DFENCE=2 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DFENCE=3 --model power
//@ verdict: violations
//@ executions: 4
//@ assertion: stale
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if FENCE == 0
#define BETWEEN "sync"
#elif FENCE == 1
#define BETWEEN "lwsync"
#elif FENCE == 2
#define BETWEEN "eieio"
#else
#define BETWEEN "isync"
#endif
#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static atomic_int data, flag;
static int r, s;

static void *writer(void *unused) {
    STORE(&data, 1);
    __asm__ volatile(BETWEEN ::: "memory");
    STORE(&flag, 1);
    return unused;
}

static void *reader(void *unused) {
    int a = LOAD(&flag);
    int b = LOAD(&data + (a ^ a));
    r = a;
    s = b;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(!(r && !s)); // @stale
}
