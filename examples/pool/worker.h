/* A thread that runs the tasks that it is given, in their order, and sleeps while it has none. */
#ifndef WORKER_H
#define WORKER_H

#include "ring.h"

#include <pthread.h>
#include <semaphore.h>

/* What -DREPAIRED puts between saying one thing and looking at another. */
#ifdef REPAIRED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE()
#endif

struct worker {
    pthread_t thread;
    struct ring ring;
    atomic_int sleeps;
    sem_t wake;
};

void worker_start(struct worker *worker);
void worker_give(struct worker *worker, struct task task);
void worker_stop(struct worker *worker);

#endif
