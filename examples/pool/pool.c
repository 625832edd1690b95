#include "pool.h"

void pool_start(struct pool *pool) {
    for (int i = 0; i < WORKERS; i++)
        worker_start(&pool->workers[i]);
}

/* Gives a task to the worker whose turn it is. */
void pool_submit(struct pool *pool, void (*run)(int *argument), int *argument) {
    worker_give(&pool->workers[pool->next++ % WORKERS], (struct task){run, argument});
}

/* Waits until all tasks have been run. */
void pool_stop(struct pool *pool) {
    for (int i = 0; i < WORKERS; i++)
        worker_stop(&pool->workers[i]);
}
