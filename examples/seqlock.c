/* A sequence lock: the number is odd while the pair is being written. A reader that sees the same
 * even number before and after has read a pair that belongs together.
 *
 * -DFENCED keeps the accesses to the pair between those to the number.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE(order) atomic_thread_fence(order)
#else
#define FENCE(order)
#endif
#define LOAD(from) atomic_load_explicit(from, memory_order_relaxed)
#define STORE(to, value) atomic_store_explicit(to, value, memory_order_relaxed)

static atomic_uint number;
static atomic_int first, second;

static void *writer(void *unused) {
    STORE(&number, 1);
    FENCE(memory_order_release);
    STORE(&first, 7);
    STORE(&second, 7);
    FENCE(memory_order_release);
    STORE(&number, 2);
    return unused;
}

static void *reader(void *unused) {
    unsigned before = LOAD(&number);
    FENCE(memory_order_acquire);
    int one = LOAD(&first);
    int other = LOAD(&second);
    FENCE(memory_order_acquire);
    unsigned after = LOAD(&number);
    if (before == after && before % 2 == 0)
        assert(one == other);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
