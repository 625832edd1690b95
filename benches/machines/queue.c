// The queue of Michael and Scott, larger than the test: PAIRS threads that enqueue and then
// dequeue, and one that enqueues. With -DWEAKEST in the orders that are enough, else sequentially
// consistent.
#define main of_the_test
#include "../../c-tests/relax/michael-scott-queue.c"
#undef main

#ifndef PAIRS
#define PAIRS 2
#endif

static void *both(void *number) {
    int taken;
    enqueue((int)(long)number);
    dequeue(&taken);
    return 0;
}

int main(void) {
    struct node *dummy = new_node(0);
    atomic_init(&head, dummy);
    atomic_init(&tail, dummy);
    pthread_t threads[PAIRS + 1];
    for (long number = 0; number < PAIRS; number++)
        pthread_create(&threads[number], 0, both, (void *)(number + 2));
    pthread_create(&threads[PAIRS], 0, first, 0);
    for (int number = 0; number <= PAIRS; number++)
        pthread_join(threads[number], 0);
}
