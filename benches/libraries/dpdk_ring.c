// One or two producers and a consumer on DPDK's ring: each item is taken once. FLAGS are those of
// the ring.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include <rte_ring.h>

enum { PRODUCERS = FLAGS & RING_F_SP_ENQ ? 1 : 2 };

static struct rte_ring *ring;
static int items[] = {0, 1};
static int taken[2];

static void *producer(void *item) {
    while (rte_ring_enqueue(ring, item) != 0)
        ;
    return NULL;
}

static int take(void) {
    void *item;
    if (rte_ring_dequeue(ring, &item) != 0)
        return 0;
    taken[*(int *)item]++;
    return 1;
}

static void *consumer(void *unused) {
    take();
    return unused;
}

int main(void) {
    pthread_t threads[3];
    ring = aligned_alloc(128, 1024);
    memset(ring, 0, sizeof *ring);
    ring->prod.sync_type = FLAGS & RING_F_SP_ENQ ? RTE_RING_SYNC_ST : RTE_RING_SYNC_MT;
    ring->cons.sync_type = FLAGS & RING_F_SC_DEQ ? RTE_RING_SYNC_ST : RTE_RING_SYNC_MT;
    ring->size = 4;
    ring->mask = ring->capacity = 3;
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, producer, &items[i]);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(threads[2], NULL);
    while (take())
        ;
    assert(taken[0] == 1 && taken[1] == PRODUCERS - 1);
    free(ring);
    return 0;
}
