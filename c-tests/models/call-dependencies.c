//@ why: A lock is acquired at an address that was loaded, so after the load, and what follows is
//@      behind the acquisition: who reads the new pointer reads what was stored before a fence in
//@      front of it. Thread-specific data gives back the pointer that it was given, so a load
//@      through it comes after the load of the pointer, too. A load that depends on the pointer
//@      by a branch alone (LOOSE) may come before it on ARM, RISC-V and POWER.
//@ verdict: clean
//@ run: -DLOCK --model armv8
//@ run: -DLOCK --model riscv
//@ run: -DLOCK --model power
//@ run: -DKEY --model armv8
//@ run: -DKEY --model riscv
//@ run: -DKEY --model power
//@ run: -DLOOSE --model armv8
//@ verdict: violations
//@ assertion: late
//@ run: -DLOOSE --model riscv
//@ verdict: violations
//@ assertion: late
//@ run: -DLOOSE --model power
//@ verdict: violations
//@ assertion: late
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct box {
    pthread_mutex_t lock;
    int value;
};

static struct box one = {PTHREAD_MUTEX_INITIALIZER, 1};
static struct box two = {PTHREAD_MUTEX_INITIALIZER, 0};
static _Atomic(struct box *) current = &one;
static pthread_key_t key;

static void *publish(void *argument) {
    two.value = 1;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&current, &two, memory_order_relaxed);
    return argument;
}

static void *use(void *argument) {
    struct box *box = atomic_load_explicit(&current, memory_order_relaxed);
    int value;
#if defined(LOCK)
    pthread_mutex_lock(&box->lock);
    value = two.value;
    pthread_mutex_unlock(&box->lock);
#elif defined(KEY)
    pthread_setspecific(key, box);
    value = ((struct box *)pthread_getspecific(key))->value;
#else
    if (box == &one)
        return argument;
    value = two.value;
#endif
    assert(box == &one || value == 1); // @late
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, 0);
    pthread_create(&a, 0, publish, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
