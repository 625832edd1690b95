//@ why: What is copied by realloc, memmove to overlapping memory, strdup and the assignment of a
//@      struct is there afterwards, whatever the widths of the pieces. Another thread sees the
//@      grown block whole, or not at all: two executions.
//@ run: --model power
//@ verdict: clean
//@ executions: 2
//@ run: --model pso
//@ verdict: clean
//@ executions: 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int first, second;
};

static struct pair from = {1, 2}, to;
static char text[16] = "abcdef";
static int *_Atomic shared;

static void *body(void *unused) {
    int *block = malloc(2 * sizeof *block);
    block[0] = 5;
    block[1] = 6;
    block = realloc(block, 3 * sizeof *block);
    block[2] = 7;
    atomic_store_explicit(&shared, block, memory_order_release);
    to = from;
    memmove(text + 1, text, 6);
    char *copy = strdup(text);
    assert(!strcmp(copy, "aabcdef"));
    return unused;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, body, 0);
    int *block = atomic_load_explicit(&shared, memory_order_acquire);
    if (block)
        assert(block[0] == 5 && block[1] == 6 && block[2] == 7);
    pthread_join(a, 0);
    assert(to.first == 1 && to.second == 2);
}
