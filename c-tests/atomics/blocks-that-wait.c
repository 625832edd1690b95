//@ why: A block that has to wait waits as a whole. The other thread has four events: lock,
//@      two accesses, unlock. FIRST: the block begins with the lock, so it waits before it begins:
//@      it comes before the four events or after them. MIDDLE: its first operation is a store, and
//@      it may begin at five places; at the three of them where the other one holds the lock, it
//@      would have to wait in its middle while that one can go on, and the execution is dropped.
//@      RUN_OUT: a wait with a limit runs out there instead. STUCK: the other thread never
//@      unlocks; if it comes first, nobody can go on, and the block waits for ever. dpor refuses
//@      where a block has to wait.
//@ run: -DWHAT=FIRST --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DWHAT=MIDDLE --preemptions none
//@ verdict: clean
//@ executions: 2
//@ blocked: 3
//@ run: -DWHAT=RUN_OUT --preemptions none
//@ verdict: clean
//@ executions: 5
//@ run: -DWHAT=STUCK --preemptions none
//@ verdict: violations
//@ executions: 2
//@ deadlock: waits holds
//@ run: -DWHAT=MIDDLE --explorer dpor
//@ verdict: unsupported
//@ unsupported: waits an operation that has to wait in an atomic block
#include <assert.h>
#include <pthread.h>
#include <time.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

enum { FIRST, MIDDLE, RUN_OUT, STUCK };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int x, y;

static void *other(void *unused) {
    pthread_mutex_lock(&mutex); // @holds
    if (WHAT != STUCK) {
        x = 1;
        x = 2;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec limit = {0, 0};
    pthread_create(&thread, NULL, other, NULL);
    __VERIFIER_atomic_begin();
    if (WHAT != FIRST)
        y = 1;
    if (WHAT == RUN_OUT) {
        if (pthread_mutex_timedlock(&mutex, &limit) == 0)
            pthread_mutex_unlock(&mutex);
    } else {
        pthread_mutex_lock(&mutex); // @waits
        assert(x != 1);
        pthread_mutex_unlock(&mutex);
    }
    __VERIFIER_atomic_end();
    pthread_join(thread, NULL);
    return 0;
}
