//@ why: How many bytes are filled or copied is read from memory, so whether an access to them comes
//@      at all waits for that read. Two threads then store to one word and add to another one, in
//@      two orders each, whichever the model.
//@ run: --explorer rsmc --model sc
//@ verdict: clean
//@ executions: 4
//@ run: --model tso
//@ verdict: clean
//@ executions: 4
//@ run: --model power
//@ verdict: clean
//@ executions: 4
//@ run: --model armv8
//@ verdict: clean
//@ executions: 4
//@ run: --model riscv
//@ verdict: clean
//@ executions: 4
//@ run: --model c11
//@ verdict: clean
//@ executions: 4
//@ run: -DCOPIES --model power
//@ verdict: clean
//@ executions: 4
//@ run: -DCOPIES --model armv8
//@ verdict: clean
//@ executions: 4
//@ run: -DCOPIES --model riscv
//@ verdict: clean
//@ executions: 4
//@ run: -DTAKES --model power
//@ verdict: clean
//@ executions: 4
//@ run: -DTAKES --model armv8
//@ verdict: clean
//@ executions: 4
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static size_t count;
static int pattern[2] = {1, 2};
static char *_Atomic last;
static atomic_int done;

static void *work(void *unused) {
    char *block = malloc(8);
#if defined COPIES
    memcpy(block, pattern, count * 4);
#elif defined TAKES
    int own[2] = {0};
    memcpy(own, pattern, count * 4);
    block[0] = (char)own[0];
#else
    memset(block, 0, count * 4);
#endif
    atomic_store_explicit(&last, block, memory_order_relaxed);
    atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    count = 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
