// Two producers each add an item to a full ring of DPDK, if there is room, while a consumer takes
// one: the ring never holds more than it has room for.
#include <assert.h>
#include <pthread.h>
#include <rte_ring.h>
#include <stdlib.h>
static struct rte_ring *ring;
static int item, added[2], taken;
static void *producer(void *count) {
    if (rte_ring_enqueue(ring, &item) == 0)
        ++*(int *)count;
    return NULL;
}
static void *consumer(void *unused) {
    void *got;
    taken = rte_ring_dequeue(ring, &got) == 0;
    return unused;
}
int main(void) {
    pthread_t threads[3];
    ring = aligned_alloc(128, 1024);
    memset(ring, 0, sizeof *ring);
    ring->prod.sync_type = ring->cons.sync_type = RTE_RING_SYNC_MT;
    ring->size = 2;
    ring->mask = ring->capacity = 1;
    assert(rte_ring_enqueue(ring, &item) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, producer, &added[i]);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(1 + added[0] + added[1] - taken <= 1);
    free(ring);
    return 0;
}
