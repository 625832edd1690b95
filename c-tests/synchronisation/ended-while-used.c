//@ why: The mutex begins (-DBEGIN), or ends, at any time from the creation of the thread that
//@      uses it to its end. That is before the thread locks it, in between, or when it has
//@      unlocked it: the three classes; with its access between two events there is one
//@      interleaving more. Ended before the lock, it is the lock that is wrong; ended in between,
//@      the end, since the mutex is held; afterwards, nothing is. Begun before the lock, all is
//@      well; else it has been used by then, as a static initialiser would have left it.
//@ run: --explorer dpor
//@ executions: 3
//@ verdict: violations
//@ misuse: lock change, change lock
//@ run: --preemptions none
//@ executions: 4
//@ verdict: violations
//@ misuse: lock change, change lock
//@ run: --explorer dpor -DBEGIN
//@ executions: 3
//@ verdict: violations
//@ misuse: change lock, change unlock
//@ run: --preemptions none -DBEGIN
//@ executions: 4
//@ verdict: violations
//@ misuse: change lock, change unlock
#include <pthread.h>

static pthread_mutex_t mutex;
static int x;

static void *body(void *unused) {
    pthread_mutex_lock(&mutex); // @lock
    x = 1;
    pthread_mutex_unlock(&mutex); // @unlock
    return unused;
}

#ifdef BEGIN
#define CHANGE(mutex) pthread_mutex_init(mutex, NULL)
#else
#define CHANGE(mutex) pthread_mutex_destroy(mutex)
#endif

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    CHANGE(&mutex); // @change
    pthread_join(thread, NULL);
    return 0;
}
