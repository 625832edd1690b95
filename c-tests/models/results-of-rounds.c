//@ why: A sequence lock whose reader hands what it has read to variables of its caller, in each
//@      round of its wait. What a failed round leaves there the next one overwrites before anybody
//@      reads it, so a failed round has no effect, and the reader ends with one of the three
//@      versions that the writer makes: 3 executions, whether the wait is in the function or around
//@      its calls, and the fences are those of C11 or of the compiler.
//@ verdict: clean
//@ executions: 3
//@ run: --explorer rsmc
//@ run: --model tso
//@ run: --model power
//@ run: --model armv8
//@ run: --model c11
//@ run: -DAROUND --model tso
//@ run: -DAROUND --model armv8
//@ run: -DAROUND --model c11
//@ run: -DVOLATILE --model tso
//@ run: -DVOLATILE --model power
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef VOLATILE
static volatile unsigned version;
static volatile int x, y;
#define LOAD(from) (from)
#define STORE(to, value) ((to) = (value))
#define BEFORE __sync_synchronize()
#define BEHIND __sync_synchronize()
#else
static atomic_uint version;
static atomic_int x, y;
#define LOAD(from) atomic_load_explicit(&(from), memory_order_relaxed)
#define STORE(to, value) atomic_store_explicit(&(to), value, memory_order_relaxed)
#define BEFORE atomic_thread_fence(memory_order_release)
#define BEHIND atomic_thread_fence(memory_order_acquire)
#endif

static bool read_once(int *a, int *b, unsigned *of) {
    unsigned before = LOAD(version);
    BEHIND;
    *a = LOAD(x);
    *b = LOAD(y);
    BEHIND;
    *of = before;
    return before % 2 == 0 && LOAD(version) == before;
}

#ifdef AROUND
#define READ(a, b, of)                                                                             \
    while (!read_once(a, b, of))                                                                   \
    continue
#else
static void read_all(int *a, int *b, unsigned *of) {
    while (!read_once(a, b, of))
        ;
}
#define READ(a, b, of) read_all(a, b, of)
#endif

static void *writer(void *unused) {
    for (unsigned round = 1; round <= 2; round++) {
        STORE(version, 2 * round - 1);
        BEFORE;
        STORE(x, (int)round);
        STORE(y, (int)round);
        BEFORE;
        STORE(version, 2 * round);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int a, b;
    unsigned of;
    READ(&a, &b, &of);
    assert(a == b && 2 * (unsigned)a == of);
    pthread_join(thread, 0);
}
