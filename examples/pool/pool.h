/* Workers that share what there is to do. */
#ifndef POOL_H
#define POOL_H

#include "worker.h"

#ifndef WORKERS
#define WORKERS 1
#endif

struct pool {
    struct worker workers[WORKERS];
    unsigned next;
};

void pool_start(struct pool *pool);
void pool_submit(struct pool *pool, void (*run)(int *argument), int *argument);
void pool_stop(struct pool *pool);

#endif
