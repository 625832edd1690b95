//@ why: `qsort` moves eight bytes at a time where the program's own accesses are of eight,
//@      four where they are of four: the pointers and the numbers are sorted as anywhere, while
//@      another thread stores something else. A `memcpy` of half of what others access as a whole
//@      has no meaning in execution graphs, and is refused.
//@ run: -DPOINTERS --model tso
//@ verdict: clean
//@ executions: 1
//@ run: -DPOINTERS --model power
//@ verdict: clean
//@ executions: 1
//@ run: -DNUMBERS --model pso
//@ verdict: clean
//@ executions: 1
//@ run: -DSTRUCTS --model tso
//@ verdict: clean
//@ executions: 1
//@ run: -DHALF --model tso
//@ verdict: unsupported
//@ unsupported: half memory accessed in pieces of different widths under --model tso
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int other;

static void *stores(void *unused) {
    atomic_store(&other, 1);
    return unused;
}

#if defined POINTERS
static int numbers[3] = {3, 1, 2};
static int *sorted[3];

static int compare(const void *one, const void *another) {
    return **(int *const *)one - **(int *const *)another;
}

static void work(void) {
    for (int i = 0; i < 3; i++)
        sorted[i] = &numbers[i];
    qsort(sorted, 3, sizeof *sorted, compare);
    assert(*sorted[0] == 1 && *sorted[1] == 2 && *sorted[2] == 3);
}
#elif defined NUMBERS
static int sorted[5] = {4, 1, 5, 2, 3};

static int compare(const void *one, const void *another) {
    return *(const int *)one - *(const int *)another;
}

static void work(void) {
    qsort(sorted, 5, sizeof *sorted, compare);
    for (int i = 0; i < 5; i++)
        assert(sorted[i] == i + 1);
}
#elif defined STRUCTS
static struct entry {
    long key;
    short small;
    char name;
} sorted[2] = {{2, 20, 'b'}, {1, 10, 'a'}};

static int compare(const void *one, const void *another) {
    return (int)(((const struct entry *)one)->key - ((const struct entry *)another)->key);
}

static void work(void) {
    qsort(sorted, 2, sizeof *sorted, compare);
    assert(sorted[0].key == 1 && sorted[0].small == 10 && sorted[0].name == 'a');
    assert(sorted[1].key == 2 && sorted[1].small == 20 && sorted[1].name == 'b');
}
#else
static int whole = 0x10002;
static short half;

static void work(void) {
    whole = 0x10003;
    memcpy(&half, &whole, sizeof half); // @half
}
#endif

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, stores, NULL);
    work();
    pthread_join(thread, NULL);
    return 0;
}
