//@ why: A thread looks again and again, each time with a lock taken and given back, a lock that is
//@      tried, a flag that is raised and lowered, a block that is allocated and freed, or in
//@      another local state of a few that come back. Such a look changes nothing that lasts: the
//@      loop ends by itself, and without what it looks for it never does.
//@ run: -DSHAPE=1 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=2 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=3 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=4 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=5 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=6 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=7 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=1 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: locked-flag join
//@ run: -DSHAPE=2 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: tried join
//@ run: -DSHAPE=3 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: backs-off join
//@ run: -DSHAPE=4 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: block join
//@ run: -DSHAPE=5 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: turns join
//@ run: -DSHAPE=6 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: toggles join
//@ run: -DSHAPE=7 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: many join
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int ready;
atomic_int flag, other, mine;

static void wait_for_it(void) {
#if SHAPE == 1
    int seen;
    do {
        pthread_mutex_lock(&mutex);
        seen = ready; // @locked-flag
        pthread_mutex_unlock(&mutex);
    } while (!seen);
#elif SHAPE == 2
    while (pthread_mutex_trylock(&mutex)) // @tried
        ;
    pthread_mutex_unlock(&mutex);
#elif SHAPE == 3
    for (;;) {
        mine = 1;
        if (flag) // @backs-off
            break;
        mine = 0;
    }
#elif SHAPE == 4
    for (;;) {
        int *copy = malloc(sizeof *copy);
        *copy = flag; // @block
        int seen = *copy;
        free(copy);
        if (seen)
            break;
    }
#elif SHAPE == 5
    for (int turn = 0; !flag; turn = (turn + 1) % 3) // @turns
        ;
#elif SHAPE == 6
    for (int second = 0; !(second ? other : flag); second = !second) // @toggles
        ;
#elif SHAPE == 7
    for (int turn = 0; !flag; turn = (turn + 1) % 12) // @many
        ;
#endif
}

static void *body(void *unused) {
    wait_for_it();
    return unused;
}

int main(void) {
    pthread_t thread;
#if SHAPE == 2
    pthread_mutex_lock(&mutex);
#endif
    pthread_create(&thread, NULL, body, NULL);
#ifndef NEVER
#if SHAPE == 2
    pthread_mutex_unlock(&mutex);
#endif
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    flag = 1;
    other = 1;
#endif
    pthread_join(thread, NULL); // @join
    return 0;
}
