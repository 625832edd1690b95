//@ why: What a free has to do with others may be known only after executions in which nobody
//@      came so far: the first one stops the thread that frees. There are four classes: it
//@      stops; or it goes on, and the reader comes to what was a node too late to get it,
//@      or reads it before it is freed, or after that.
//@ run: --explorer dpor
//@ executions: 4
//@ verdict: violations
//@ use-after-free: read free allocation
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    atomic_int first, second;
};
static _Atomic(struct node *) shared;
static atomic_int stop;

static void *frees(void *unused) {
    if (atomic_load(&stop))
        return unused;
    struct node *node = atomic_exchange(&shared, NULL);
    atomic_store(&node->second, 1);
    free(node); // @free
    return unused;
}

static void *reads(void *unused) {
    struct node *node = atomic_load(&shared);
    if (node)
        atomic_load(&node->first); // @read
    return unused;
}

static void *stops(void *unused) {
    atomic_store(&stop, 1);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    atomic_store(&shared, calloc(1, sizeof(struct node))); // @allocation
    pthread_create(&threads[0], NULL, frees, NULL);
    pthread_create(&threads[1], NULL, reads, NULL);
    pthread_create(&threads[2], NULL, stops, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
