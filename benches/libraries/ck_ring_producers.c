/* Two producers on a ring that several may use, and a consumer. */
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>

static ck_ring_t ring;
static ck_ring_buffer_t slots[4];
static int items[2] = {1, 2};

static void *producer(void *item) {
    assert(ck_ring_enqueue_mpmc(&ring, slots, item));
    return 0;
}

int main(void) {
    ck_ring_init(&ring, 4);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, producer, &items[i]);
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        void *item;
        while (!ck_ring_dequeue_mpmc(&ring, slots, &item))
            ck_pr_stall();
        sum += *(int *)item;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(sum == 3);
}
