/* A producer and a consumer on a ring of one item. */
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>

#define ITEMS 3

static ck_ring_t ring;
static ck_ring_buffer_t slots[2];
static int items[ITEMS];

static void *producer(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        items[i] = i + 1;
        while (!ck_ring_enqueue_spsc(&ring, slots, &items[i]))
            ck_pr_stall();
    }
    return unused;
}

int main(void) {
    ck_ring_init(&ring, 2);
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    for (int i = 0; i < ITEMS; i++) {
        void *item;
        while (!ck_ring_dequeue_spsc(&ring, slots, &item))
            ck_pr_stall();
        assert(*(int *)item == i + 1);
    }
    pthread_join(thread, 0);
}
