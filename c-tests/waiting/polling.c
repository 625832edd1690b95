//@ why: A thread looks again and again, each time with a lock taken and given back, a lock that is
//@      tried, a flag that is raised and lowered, a block that is allocated and freed, an object
//@      that is tried or asked, a wait with a limit that runs out, or in another local state of a
//@      few that come back. Such a look changes nothing that lasts: the loop ends by itself, and
//@      without what it looks for it never does.
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
//@ run: -DSHAPE=8 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=8 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: tries-to-take join
//@ run: -DSHAPE=9 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=9 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: tries-to-read join
//@ run: -DSHAPE=10 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=10 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: tries-to-write join
//@ run: -DSHAPE=11 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=11 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: counts join
//@ run: -DSHAPE=12 --preemptions none
//@ verdict: clean
//@ run: -DSHAPE=12 -DNEVER --preemptions none
//@ verdict: violations
//@ livelock: runs-out join
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
sem_t semaphore;
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
#elif SHAPE == 8
    while (sem_trywait(&semaphore)) // @tries-to-take
        ;
#elif SHAPE == 9
    while (pthread_rwlock_tryrdlock(&lock)) // @tries-to-read
        ;
#elif SHAPE == 10
    while (pthread_rwlock_trywrlock(&lock)) // @tries-to-write
        ;
#elif SHAPE == 11
    for (int value = 0; value < 2;)
        sem_getvalue(&semaphore, &value); // @counts
#elif SHAPE == 12
    const struct timespec soon = {1, 0};
    for (;;) {
        pthread_mutex_lock(&mutex);
        int seen = ready; // @runs-out
        if (!seen)
            pthread_cond_timedwait(&condition, &mutex, &soon);
        pthread_mutex_unlock(&mutex);
        if (seen)
            break;
    }
#endif
}

static void *body(void *unused) {
    wait_for_it();
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
#if SHAPE == 2
    pthread_mutex_lock(&mutex);
#elif SHAPE == 9
    pthread_rwlock_wrlock(&lock);
#elif SHAPE == 10
    pthread_rwlock_rdlock(&lock);
#endif
    pthread_create(&thread, NULL, body, NULL);
#ifndef NEVER
#if SHAPE == 2
    pthread_mutex_unlock(&mutex);
#elif SHAPE == 9 || SHAPE == 10
    pthread_rwlock_unlock(&lock);
#endif
    sem_post(&semaphore);
    sem_post(&semaphore);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    flag = 1;
    other = 1;
#endif
    pthread_join(thread, NULL); // @join
    return 0;
}
