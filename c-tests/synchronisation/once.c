//@ why: The one that comes first runs the function: two events, entering and returning, and
//@      accesses between them, during which the other one waits. 2 executions, and the
//@      function runs once in each. A function that calls pthread_once for itself waits for
//@      its own end.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DAGAIN --preemptions none
//@ verdict: violations
//@ executions: 2
//@ deadlock: mine again theirs, theirs again mine
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int runs;

static void function(void) {
#ifdef AGAIN
    pthread_once(&once, function); // @again
#endif
    runs++;
}

static void *body(void *unused) {
    pthread_once(&once, function); // @theirs
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_once(&once, function); // @mine
    pthread_join(thread, NULL);
    assert(runs == 1);
    return 0;
}
