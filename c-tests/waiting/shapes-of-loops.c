//@ why: A thread waits in one loop or another until main has set two flags, and then knows that
//@      they are set. All loops end by themselves: none needs a bound, none makes the search
//@      endless. The flags are sequentially consistent, so there is nothing for the monitors.
//@ verdict: clean
//@ run: -DSHAPE=1 --preemptions none
//@ run: -DSHAPE=2 --preemptions none
//@ run: -DSHAPE=3 --preemptions none
//@ run: -DSHAPE=4 --preemptions none
//@ run: -DSHAPE=5 --preemptions none
//@ run: -DSHAPE=6 --preemptions none
//@ run: -DSHAPE=7 --preemptions none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

atomic_int first, second;

static int both(void) { return first && second; }

static void wait_for_both(void) {
#if SHAPE == 1
    while (!first)
        ;
    while (!second)
        ;
#elif SHAPE == 2
    // Two loads in an iteration.
    int one, other;
    do {
        one = first;
        other = second;
    } while (!(one && other));
#elif SHAPE == 3
    // Several exits, and a call.
    for (;;) {
        if (!first)
            continue;
        if (both())
            break;
    }
#elif SHAPE == 4
    // A wait in a wait.
    while (!second) {
        while (!first)
            sched_yield();
    }
#elif SHAPE == 5
    // A compare-and-swap that changes nothing until it succeeds.
    for (int old = 1; !atomic_compare_exchange_weak(&second, &old, 2); old = 1)
        ;
#elif SHAPE == 6
    // Local state that comes back to what it was.
    int spins = 0;
    while (!both()) {
        spins++;
        usleep(1);
        spins--;
    }
    assert(spins == 0);
#elif SHAPE == 7
again:
    if (!first)
        goto again;
    if (!second)
        goto again;
#endif
}

static void *body(void *unused) {
    wait_for_both();
    assert(first == 1 && second >= 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    first = 1;
    second = 1;
    pthread_join(thread, NULL);
    return 0;
}
