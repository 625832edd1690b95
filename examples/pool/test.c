#include "pool.h"

#include <assert.h>

static struct pool pool;
static int result;

static void answer(int *to) { *to = 42; }

int main(void) {
    pool_start(&pool);
    pool_submit(&pool, answer, &result);
    pool_stop(&pool);
    assert(result == 42);
    return 0;
}
