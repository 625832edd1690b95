/* Two threads add to a wait-free queue, while a third one takes from it, and takes the rest in the
 * end. */
#include <assert.h>
#include <pthread.h>
#define _LGPL_SOURCE
#include <urcu/wfcqueue.h>

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct item {
    struct cds_wfcq_node node;
    int value;
} items[2];

static void *enqueuer(void *argument) {
    struct item *item = argument;
    item->value = 1;
    cds_wfcq_node_init(&item->node);
    cds_wfcq_enqueue(&head, &tail, &item->node);
    return 0;
}

int main(void) {
    cds_wfcq_init(&head, &tail);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, enqueuer, &items[i]);
    int sum = 0;
    struct cds_wfcq_node *node = __cds_wfcq_dequeue_blocking(&head, &tail);
    if (node)
        sum += ((struct item *)node)->value;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    while ((node = __cds_wfcq_dequeue_blocking(&head, &tail)))
        sum += ((struct item *)node)->value;
    assert(sum == 2);
}
