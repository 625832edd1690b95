//@ why: Two events each. Readers keep nobody out: (2 + 2) over 2 = 6 orders. A writer's
//@      section is before the other's or after it: 2. Of a try while the other writes one
//@      fails: its one event is before, within, or after; where it succeeds, its unlock
//@      follows before the other's lock can come: 3. Without the lock the counter loses
//@      updates.
//@ run: -DMINE=rd -DOTHERS=rd --preemptions none
//@ verdict: clean
//@ executions: 6
//@ run: -DMINE=rd -DOTHERS=wr --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DMINE=wr -DOTHERS=wr --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DMINE=tryrd -DOTHERS=wr --preemptions none
//@ verdict: clean
//@ executions: 3
//@ run: -DMINE=trywr -DOTHERS=wr --preemptions none
//@ verdict: clean
//@ executions: 3
//@ run: -DMINE=wr -DOTHERS=wr -DCOUNT --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DMINE=rd -DOTHERS=rd -DCOUNT --preemptions none
//@ verdict: violations
//@ assertion: counted
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#define CALL(kind) CALL_OF(kind)
#define CALL_OF(kind) pthread_rwlock_##kind##lock

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int counter;

static void *other(void *unused) {
    assert(CALL(OTHERS)(&lock) == 0);
#ifdef COUNT
    counter++;
#endif
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    int error = CALL(MINE)(&lock);
    assert(error == 0 || error == EBUSY);
    if (error == 0) {
#ifdef COUNT
        counter++;
#endif
        pthread_rwlock_unlock(&lock);
    }
    pthread_join(thread, NULL);
#ifdef COUNT
    assert(counter == 2); // @counted
#endif
    return 0;
}
