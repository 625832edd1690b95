//@ why: Whoever comes first makes the object, under a mutex; the others look at a flag alone. PSO
//@      needs the release of the flag: without it who sees the flag may see the object before it
//@      is made.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_PUBLISH
//@ verdict: violations
//@ models: pso breaks
//@ assertion: fails
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define LD(at) atomic_load_explicit(&(at), memory_order_relaxed)
#define ST(at, value) atomic_store_explicit(&(at), value, memory_order_relaxed)
#define ACQUIRE(at) atomic_load_explicit(&(at), memory_order_acquire)
#define RELEASE(at, value) atomic_store_explicit(&(at), value, memory_order_release)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)

#ifdef NO_PUBLISH
#define PUBLISH ST
#else
#define PUBLISH RELEASE
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ready;
static int object;

static void run(int me) {
    (void)me;
    if (!ACQUIRE(ready)) {
        pthread_mutex_lock(&mutex);
        if (!LD(ready)) {
            object = 42;
            PUBLISH(ready, 1);
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(object == 42); // @fails
}

static void *first(void *unused) {
    run(0);
    return unused;
}

static void *second(void *unused) {
    run(1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
