//@ why: The clock is one for all threads, and advances whenever one looks at it. So two looks
//@      of two threads never show the same, and either may come first: that the left one shows
//@      less holds in one order alone (-DFIRST). The looks are the threads' only conflicts: two
//@      classes, two graphs. Whether one thread's sleep comes before the other's look is open, too
//@      (-DSLEEP). A look is no access to memory and drains nothing: store buffering through one
//@      clock shows both zeros, whichever look came first, as two orders of four outcomes
//@      (-DBUFFERED). Where main alone looks, a look is no event: main waits for a thread with a
//@      single store, which is one execution (-DMAIN).
//@ run: --preemptions none
//@ verdict: clean
//@ run: --explorer dpor
//@ verdict: clean
//@ executions: 2
//@ run: --model sc --explorer rsmc
//@ verdict: clean
//@ executions: 2
//@ run: --model tso
//@ verdict: clean
//@ executions: 2
//@ run: --model pso
//@ verdict: clean
//@ executions: 2
//@ run: --model power
//@ verdict: clean
//@ executions: 2
//@ run: -DFIRST --preemptions none
//@ verdict: violations
//@ assertion: first
//@ run: -DFIRST --explorer dpor
//@ verdict: violations
//@ assertion: first
//@ run: -DFIRST --model sc --explorer rsmc
//@ verdict: violations
//@ assertion: first
//@ run: -DFIRST --model tso
//@ verdict: violations
//@ assertion: first
//@ run: -DFIRST --model pso
//@ verdict: violations
//@ assertion: first
//@ run: -DFIRST --model power
//@ verdict: violations
//@ assertion: first
//@ run: -DSLEEP --preemptions none
//@ verdict: violations
//@ assertion: early, late
//@ run: -DSLEEP --explorer dpor
//@ verdict: violations
//@ assertion: early, late
//@ run: -DSLEEP --model sc --explorer rsmc
//@ verdict: violations
//@ assertion: early, late
//@ run: -DSLEEP --model tso
//@ verdict: violations
//@ assertion: early, late
//@ run: -DBUFFERED --explorer dpor
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DBUFFERED --model sc --explorer rsmc
//@ verdict: clean
//@ run: -DBUFFERED --model tso
//@ verdict: violations
//@ executions: 8
//@ assertion: both-zero
//@ run: -DBUFFERED --model pso
//@ verdict: violations
//@ executions: 8
//@ assertion: both-zero
//@ run: -DMAIN --preemptions none
//@ verdict: clean
//@ executions: 1
//@ run: -DMAIN --explorer dpor
//@ verdict: clean
//@ executions: 1
//@ run: -DMAIN --model tso
//@ verdict: clean
//@ executions: 1
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static int x, y, r, s;
static long a, b;

static long now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#ifndef MAIN
static void *left(void *unused) {
#ifdef BUFFERED
    x = 1; // @store-x
    a = now();
    r = y; // @load-y
#else
    a = now();
#endif
    return unused;
}
#endif

static void *right(void *unused) {
#ifdef BUFFERED
    y = 1; // @store-y
    b = now();
    s = x; // @load-x
#elif defined SLEEP
    sleep(10);
#elif defined MAIN
    x = 1;
#else
    b = now();
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
#ifdef MAIN
    struct timespec begin, end;
    pthread_create(&threads[1], NULL, right, NULL);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    clock_gettime(CLOCK_MONOTONIC, &end);
    pthread_join(threads[1], NULL);
    assert(end.tv_nsec - begin.tv_nsec == 10000000);
#else
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
#ifdef SLEEP
    if (a >= 100010000)
        assert(!"slept before"); // @late
    assert(a >= 100010000);      // @early
#else
    assert(a != b);
#endif
#ifdef FIRST
    assert(a < b); // @first
#endif
#ifdef BUFFERED
    assert(r || s); // @both-zero
#endif
#endif
    return 0;
}
