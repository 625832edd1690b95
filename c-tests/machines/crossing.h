/* Two threads that cross, for a test that says how words are stored and read: store
 * buffering, or with -DPASSING message passing. With -DFENCED a full fence stands between
 * the two accesses of each thread that stores. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE()
#endif

/* Stores to the first word or to the second. */
static void put(int which);

/* Whether it reads what `put` stores. */
static int get(int which);

#ifdef PASSING
static int flag, stale;

static void left(void) {
    put(0);
    FENCE();
    flag = 1;
}

static void right(void) {
    if (flag)
        stale = !get(0);
}
#else
static int seen[2];

static void left(void) {
    put(0);
    FENCE();
    seen[0] = get(1);
}

static void right(void) {
    put(1);
    FENCE();
    seen[1] = get(0);
}
#endif

/* Runs `left` and `right`, each in a thread that begins with `body`, and says whether they
 * saw what no interleaving shows. */
static int cross(void *(*body)(void *side)) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, body, left);
    pthread_create(&threads[1], 0, body, right);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
#ifdef PASSING
    return stale;
#else
    return !seen[0] && !seen[1];
#endif
}
