/* A producer and a consumer on a queue of linked entries. */
#include <assert.h>
#include <ck_fifo.h>
#include <pthread.h>

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t stub, entries[2];
static int items[2];

static void *producer(void *unused) {
    for (int i = 0; i < 2; i++) {
        items[i] = i + 1;
        ck_fifo_spsc_enqueue(&fifo, &entries[i], &items[i]);
    }
    return unused;
}

int main(void) {
    ck_fifo_spsc_init(&fifo, &stub);
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    for (int i = 0; i < 2; i++) {
        void *item;
        while (!ck_fifo_spsc_dequeue(&fifo, &item))
            ck_pr_stall();
        assert(*(int *)item == i + 1);
    }
    pthread_join(thread, 0);
}
