//@ why: POSIX lets a condition variable be destroyed as soon as all who slept on it have been
//@      woken, and a barrier as soon as all have arrived: the destruction waits for those who only
//@      leave it, so a free behind it is no use after free. Without the destruction nothing waits
//@      for them, and what they leave is memory that was freed.
//@ run: -DCONDITION --preemptions none
//@ verdict: clean
//@ run: -DCONDITION --explorer dpor
//@ verdict: clean
//@ run: -DBARRIER --preemptions none
//@ verdict: clean
//@ run: -DBARRIER --explorer dpor
//@ verdict: clean
//@ run: -DBARRIER -DKEPT --explorer dpor
//@ verdict: violations
//@ use-after-free: meet free alloc
#include <pthread.h>
#include <stdlib.h>

#ifdef CONDITION
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t *gone;
static int is_gone;

static void *ends(void *argument) {
    pthread_mutex_lock(&lock);
    is_gone = 1;
    pthread_cond_broadcast(gone);
    pthread_cond_t *last = gone;
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(last);
    free(last);
    return argument;
}

static void *waits(void *argument) {
    pthread_mutex_lock(&lock);
    while (!is_gone)
        pthread_cond_wait(gone, &lock);
    pthread_mutex_unlock(&lock);
    return argument;
}

static void begin(void) {
    gone = malloc(sizeof *gone);
    pthread_cond_init(gone, NULL);
}
#else
static pthread_barrier_t *all;

static void *meets(void *argument) {
    if (pthread_barrier_wait(all) == PTHREAD_BARRIER_SERIAL_THREAD) { // @meet
#ifndef KEPT
        pthread_barrier_destroy(all);
#endif
        free(all); // @free
    }
    return argument;
}
#define ends meets
#define waits meets

static void begin(void) {
    all = malloc(sizeof *all); // @alloc
    pthread_barrier_init(all, NULL, 2);
}
#endif

int main(void) {
    pthread_t one, another;
    begin();
    pthread_create(&one, NULL, ends, NULL);
    pthread_create(&another, NULL, waits, NULL);
    pthread_join(one, NULL);
    pthread_join(another, NULL);
    return 0;
}
