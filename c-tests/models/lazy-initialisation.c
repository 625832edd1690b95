//@ why: Double-checked locking: who finds the flag set without the lock must see what
//@      was initialised before it. On POWER and PSO the writer's stores are unordered unless
//@      the flag is stored with release; POWER also needs the reader's acquire. TSO keeps
//@      both.
//@ run: --model power
//@ verdict: violations
//@ assertion: initialised
//@ run: --model pso
//@ verdict: violations
//@ assertion: initialised
//@ run: --model tso
//@ verdict: clean
//@ run: -DREPAIRED --model pso
//@ verdict: clean
//@ run: -DREPAIRED --model power
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef REPAIRED
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#else
#define ACQUIRE memory_order_relaxed
#define RELEASE memory_order_relaxed
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int value;

static void *use(void *unused) {
    if (!atomic_load_explicit(&ready, ACQUIRE)) {
        pthread_mutex_lock(&mutex);
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            value = 42;
            atomic_store_explicit(&ready, 1, RELEASE);
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(value == 42); // @initialised
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
