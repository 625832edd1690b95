#include "worker.h"

#include <stddef.h>

/* Says that it sleeps, then looks once more, then sleeps: whoever puts a task in before looks
 * whether it sleeps. */
static void sleep_unless_given(struct worker *worker) {
    atomic_store_explicit(&worker->sleeps, 1, memory_order_relaxed);
    FENCE();
    if (ring_is_empty(&worker->ring))
        sem_wait(&worker->wake);
    atomic_store_explicit(&worker->sleeps, 0, memory_order_relaxed);
}

static void *work(void *own) {
    struct worker *worker = own;
    for (;;) {
        struct task task;
        while (!ring_take(&worker->ring, &task))
            sleep_unless_given(worker);
        if (task.run == NULL)
            return NULL;
        task.run(task.argument);
    }
}

void worker_start(struct worker *worker) {
    sem_init(&worker->wake, 0, 0);
    pthread_create(&worker->thread, NULL, work, worker);
}

/* Gives the worker a task, and wakes it if it sleeps. */
void worker_give(struct worker *worker, struct task task) {
    while (!ring_put(&worker->ring, task))
        ;
    FENCE();
    if (atomic_load_explicit(&worker->sleeps, memory_order_relaxed))
        sem_post(&worker->wake);
}

/* Lets the worker finish what it was given. */
void worker_stop(struct worker *worker) {
    worker_give(worker, (struct task){NULL, NULL});
    pthread_join(worker->thread, NULL);
    sem_destroy(&worker->wake);
}
