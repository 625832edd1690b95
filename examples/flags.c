/* Two threads want to be alone with `shared`. Each raises its own flag, and goes in if the other
 * flag is down. In every interleaving at most one of them goes in.
 *
 * -DFENCED puts a fence between raising the one flag and looking at the other.
 */
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE()
#endif

static atomic_int flag0, flag1;
static int shared;

static void *left(void *unused) {
    atomic_store_explicit(&flag0, 1, memory_order_relaxed);
    FENCE();
    if (atomic_load_explicit(&flag1, memory_order_relaxed) == 0)
        shared++;
    return unused;
}

static void *right(void *unused) {
    atomic_store_explicit(&flag1, 1, memory_order_relaxed);
    FENCE();
    if (atomic_load_explicit(&flag0, memory_order_relaxed) == 0)
        shared++;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, left, NULL);
    pthread_create(&other, NULL, right, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
