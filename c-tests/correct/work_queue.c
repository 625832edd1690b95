//@ why: A queue with a mutex and a condition variable, and a flag beside it that says how many are
//@      done, which is looked at without the mutex: what was done must be seen by then.
//@ run:
//@ verdict: clean
//@ models: none
//@ run: -DNO_DONE
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

#ifdef NO_DONE
#define DONE(count) ST(done, count)
#else
#define DONE(count) RELEASE(done, count)
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int jobs[2], count, results[2];
static atomic_int done;

static void *first(void *unused) {
    for (int job = 1; job <= 2; job++) {
        pthread_mutex_lock(&mutex);
        jobs[count++] = job;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&mutex);
    }
    int finished = ACQUIRE(done);
    for (int index = 0; index < finished; index++)
        assert(results[index] != 0); // @fails
    return unused;
}

static void *second(void *unused) {
    for (int index = 0; index < 2; index++) {
        pthread_mutex_lock(&mutex);
        while (count == 0)
            pthread_cond_wait(&filled, &mutex);
        int job = jobs[--count];
        pthread_mutex_unlock(&mutex);
        results[index] = 10 * job;
        DONE(index + 1);
    }
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
