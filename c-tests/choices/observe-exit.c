//@ why: The reader exits with 3 if it has seen the store, which is a failure, and observes 0 if
//@      not. An execution that fails has no outcome, so 0 alone is one, whoever searches.
//@      Where the status is ignored nothing fails, and the reader that exits has observed
//@      nothing.
//@ run: --explorer dpor
//@ verdict: violations
//@ executions: 2
//@ exit-status: exits
//@ outcomes: main.0: 0
//@ run: --preemptions none
//@ verdict: violations
//@ exit-status: exits
//@ outcomes: main.0: 0
//@ run: --explorer rsmc
//@ verdict: violations
//@ executions: 2
//@ exit-status: exits
//@ outcomes: main.0: 0
//@ run: --explorer dpor --exit-status ignore
//@ verdict: clean
//@ executions: 2
//@ outcomes: | main.0: 0
//@ run: --explorer rsmc --exit-status ignore
//@ verdict: clean
//@ executions: 2
//@ outcomes: | main.0: 0
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int word;

static void *read_word(void *argument) {
    int seen = word;
    if (seen == 1)
        exit(3); // @exits
    fh_observe(seen);
    return argument;
}

static void *write_word(void *argument) {
    word = 1;
    return argument;
}

int main(void) {
    pthread_t reader, writer;
    pthread_create(&reader, 0, read_word, 0);
    pthread_create(&writer, 0, write_word, 0);
    pthread_join(reader, 0);
    pthread_join(writer, 0);
}
