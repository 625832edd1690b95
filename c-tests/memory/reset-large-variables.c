//@ why: As reset-between-executions.c, with variables of 4 MiB that are written here and there by
//@      both threads: each execution finds them as they were at first, wherever they were written.
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum { COUNT = 1 << 20 };
static int zeros[COUNT];
static int ones[COUNT] = {1, 1, [COUNT - 1] = 1};

static void *body(void *argument) {
    int self = (int)(intptr_t)argument;
    int *mine = zeros + 5000 + 400000 * self;
    assert(*mine == 0 && mine[70000] == 0);
    *mine = 1;
    mine[70000] = 1;
    return NULL;
}

int main(void) {
    assert(zeros[0] == 0 && zeros[COUNT - 1] == 0 && zeros[300000] == 0);
    assert(ones[0] == 1 && ones[1] == 1 && ones[2] == 0 && ones[COUNT - 1] == 1);
    zeros[0] = zeros[COUNT - 1] = 5;
    memset(&zeros[300000], 1, 64);
    ones[0] = ones[2] = ones[COUNT - 1] = 5;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
