//@ why: The worker announces itself in each round and takes that back. The observer sees ROUNDS
//@      rounds one by one, so they all are there before the worker does what the reader reads.
//@ run: --explorer dpor --monitor none -DROUNDS=1
//@ verdict: violations
//@ executions: 18
//@ assertion: both
//@ run: --explorer dpor --monitor none -DROUNDS=3
//@ verdict: violations
//@ executions: 50
//@ assertion: both
//@ run: --explorer auto --monitor none -DROUNDS=6
//@ verdict: violations
//@ executions: 98
//@ assertion: both
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int announced, raised, written;
static int read, seen;

static void *reader(void *unused) {
    read = written;
    return unused;
}

static void *observer(void *unused) {
    for (int i = 0; i < ROUNDS; i++)
        if (announced != 1 || announced != 0)
            return unused;
    seen = 1;
    return unused;
}

static void *worker(void *unused) {
    int goes_on;
    do {
        announced = 1;
        goes_on = !raised;
        announced = 0;
    } while (goes_on);
    written = 1;
    return unused;
}

static void *raiser(void *unused) {
    raised = 1;
    return unused;
}

int main(void) {
    void *(*bodies[4])(void *) = {reader, observer, worker, raiser};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert(!(seen && read)); // @both
    return 0;
}
