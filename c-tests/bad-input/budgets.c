//@ why: A search that a budget ends is incomplete, whatever it has not found; all five executions
//@      fit into a budget of five.
//@ run: --preemptions none --executions 4
//@ verdict: incomplete
//@ executions: 4
//@ stopped-by: executions
//@ run: --preemptions none --executions 5
//@ verdict: clean
//@ executions: 5
#include <pthread.h>

volatile int event;

static void *body(void *unused) {
    event = 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
