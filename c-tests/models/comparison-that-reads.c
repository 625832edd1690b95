//@ why: Which element is found, and how elements are sorted, depends on what the comparison reads,
//@      and so does what the thread stores behind it. Another thread turns the order round. The
//@      search compares once if it sees that, and else twice, and sees it then or not: three ways,
//@      and two additions come in two orders. The sort compares once: two ways. So does a number
//@      that is scanned from a text in which the digit was read (SCANS), or what a function that
//@      nobody looks into makes of a variable that holds what was read (TELLS).
//@ run: --explorer rsmc --model sc
//@ verdict: clean
//@ executions: 6
//@ run: --model tso
//@ verdict: clean
//@ executions: 6
//@ run: --model armv8
//@ verdict: clean
//@ executions: 6
//@ run: --model power
//@ verdict: clean
//@ executions: 6
//@ run: --model riscv
//@ verdict: clean
//@ executions: 6
//@ run: -DSORTS --model armv8
//@ verdict: clean
//@ executions: 4
//@ run: -DSORTS --model power
//@ verdict: clean
//@ executions: 4
//@ run: -DSCANS --model armv8
//@ verdict: clean
//@ executions: 4
//@ run: -DSCANS --model power
//@ verdict: clean
//@ executions: 4
//@ run: -DTELLS --model armv8
//@ verdict: clean
//@ uninstrumented: gmtime_r
//@ executions: 4
//@ run: -DTELLS --model power
//@ verdict: clean
//@ uninstrumented: gmtime_r
//@ executions: 4
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_int backwards, done;
static int table[2] = {1, 2};
static int *_Atomic found;

static int compare(const void *one, const void *other) {
    int order = *(const int *)one - *(const int *)other;
    return atomic_load_explicit(&backwards, memory_order_relaxed) ? -order : order;
}

static void *search(void *unused) {
#ifdef SORTS
    int own[2] = {2, 1};
    qsort(own, 2, sizeof own[0], compare);
    atomic_store_explicit(&found, &table[own[0] - 1], memory_order_relaxed);
#elif defined SCANS
    char digit[2] = {0};
    int number;
    digit[0] = (char)('0' + atomic_load_explicit(&backwards, memory_order_relaxed));
    sscanf(digit, "%d", &number);
    atomic_store_explicit(&found, &table[number], memory_order_relaxed);
#elif defined TELLS
    time_t seconds = atomic_load_explicit(&backwards, memory_order_relaxed);
    struct tm told;
    gmtime_r(&seconds, &told);
    atomic_store_explicit(&found, &table[told.tm_sec], memory_order_relaxed);
#else
    int key = 1;
    int *at = bsearch(&key, table, 2, sizeof table[0], compare);
    atomic_store_explicit(&found, at, memory_order_relaxed);
#endif
    atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
    return unused;
}

static void *turn(void *unused) {
    atomic_store_explicit(&backwards, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, search, NULL);
    pthread_create(&threads[1], NULL, turn, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
