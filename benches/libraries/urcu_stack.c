/* Two threads push, while a third one pops, and pops the rest in the end. */
#include <assert.h>
#include <pthread.h>
#define _LGPL_SOURCE
#include <urcu/lfstack.h>

static struct __cds_lfs_stack stack;
static struct item {
    struct cds_lfs_node node;
    int value;
} items[2];

static void *pusher(void *argument) {
    struct item *item = argument;
    item->value = 1;
    cds_lfs_node_init(&item->node);
    cds_lfs_push(&stack, &item->node);
    return 0;
}

int main(void) {
    __cds_lfs_init(&stack);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, pusher, &items[i]);
    int sum = 0;
    struct cds_lfs_node *node = __cds_lfs_pop(&stack);
    if (node)
        sum += ((struct item *)node)->value;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    while ((node = __cds_lfs_pop(&stack)))
        sum += ((struct item *)node)->value;
    assert(sum == 2);
}
