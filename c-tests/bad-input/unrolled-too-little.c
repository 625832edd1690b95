//@ why: The loop has three rounds. Within one round of each loop no execution comes to its end, so
//@      nothing is known of the assertion, which fails in each of the four executions: the other
//@      thread's store is read in no round, or from the first, second or third one on.
//@ run: --model tso --unroll 1
//@ verdict: incomplete
//@ executions: 0
//@ run: --model tso --unroll 3
//@ verdict: violations
//@ assertion: wrong
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *raise(void *argument) {
    flag = 1;
    return argument;
}

int main(void) {
    pthread_t thread;
    int seen = 0;
    pthread_create(&thread, 0, raise, 0);
    for (int round = 0; round < 3; round++)
        seen += flag;
    pthread_join(thread, 0);
    assert(seen > 3); // @wrong
    return 0;
}
