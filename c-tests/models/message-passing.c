//@ why: Two loads with two stores each to read from make four graphs; the one that
//@      reads the new flag and the old data is forbidden where both sides keep their order.
//@      On POWER the writer needs a lightweight fence, and the reader an address dependency,
//@      a control dependency with isync, acquire, or a fence: a control dependency alone
//@      orders no loads (Herding Cats, tests MP+lwsync+addr, +ctrl, +ctrlisync, +lwsync).
//@      TSO keeps both orders by itself, PSO only that of the loads.
//@ run: -DREADER=0 --model power
//@ verdict: violations
//@ executions: 4
//@ assertion: stale
//@ run: -DREADER=1 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DREADER=2 --model power
//@ verdict: violations
//@ executions: 4
//@ assertion: stale
//@ run: -DREADER=3 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DREADER=4 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DREADER=5 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DREADER=6 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DREADER=7 --model power
//@ verdict: violations
//@ executions: 4
//@ assertion: stale
//@ run: -DREADER=8 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DREADER=9 --model power
//@ verdict: violations
//@ executions: 4
//@ assertion: stale
//@ run: -DREADER=10 --model power
//@ verdict: clean
//@ executions: 3
//@ run: -DREADER=1 -DUNFENCED --model power
//@ verdict: violations
//@ executions: 4
//@ assertion: stale
//@ run: -DREADER=0 --model tso
//@ verdict: clean
//@ executions: 3
//@ run: -DREADER=0 -DUNFENCED --model pso
//@ verdict: violations
//@ executions: 4
//@ assertion: stale
//@ run: -DREADER=0 --model pso
//@ verdict: clean
//@ executions: 3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static atomic_int data[8], flag;
static int r, s;

struct pair {
    int first, second;
};

static int zero_from(int value) { return value ^ value; }

static void *writer(void *unused) {
    STORE(&data[0], 1);
#ifndef UNFENCED
    atomic_thread_fence(memory_order_release);
#endif
    STORE(&flag, 1);
    return unused;
}

static void *reader(void *unused) {
    int a, b = 0;
#if READER == 0 // nothing
    a = LOAD(&flag);
    b = LOAD(&data[0]);
#elif READER == 1  // address
    a = LOAD(&flag);
    b = LOAD(&data[a ^ a]);
#elif READER == 2  // control
    a = LOAD(&flag);
    if (a >= 0)
        b = LOAD(&data[0]);
#elif READER == 3  // control and isync
    a = LOAD(&flag);
    if (a >= 0) {
        __asm__ volatile("lfence" ::: "memory");
        b = LOAD(&data[0]);
    }
#elif READER == 4  // acquire
    a = atomic_load_explicit(&flag, memory_order_acquire);
    b = LOAD(&data[0]);
#elif READER == 5  // fence
    a = LOAD(&flag);
    atomic_thread_fence(memory_order_acquire);
    b = LOAD(&data[0]);
#elif READER == 6  // address, through a call and a private array
    a = LOAD(&flag);
    volatile int at[4] = {0, 0, 0, 0};
    at[1] = zero_from(a);
    b = LOAD(&data[at[1]]);
#elif READER == 7  // another element of it
    a = LOAD(&flag);
    volatile int at[4] = {0, 0, 0, 0};
    at[1] = zero_from(a);
    b = LOAD(&data[at[2]]);
#elif READER == 8  // address, through a member of a struct that is copied
    a = LOAD(&flag);
    struct pair one = {a ^ a, 0}, other;
    memcpy(&other, &one, sizeof one);
    b = LOAD(&data[other.first]);
#elif READER == 9  // another member
    a = LOAD(&flag);
    struct pair one = {a ^ a, 0}, other;
    memcpy(&other, &one, sizeof one);
    b = LOAD(&data[other.second]);
#elif READER == 10 // address, through a select, a phi and a cast
    a = LOAD(&flag);
    long at = a < 0 ? 7 : 0;
    for (unsigned char i = 0; i < 3; i++)
        at += (a & 0);
    b = LOAD(&data[(short)at]);
#endif
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
    assert(!(r == 1 && s == 0)); // @stale
}
