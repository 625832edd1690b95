//@ why: A struct is copied in one piece of eight bytes, of which the other thread reads the first
//@      four: memory is cut there, in the search and in the replay of what it finds. The reader
//@      comes before the copy or after it, and fails after it.
//@ run: --model sc --explorer rsmc
//@ verdict: violations
//@ assertion: unset
//@ executions: 2
//@ run: --model tso
//@ verdict: violations
//@ assertion: unset
//@ executions: 2
//@ run: --model pso
//@ verdict: violations
//@ assertion: unset
//@ executions: 2
//@ run: --model power
//@ verdict: violations
//@ assertion: unset
//@ executions: 2
#include <assert.h>
#include <pthread.h>

struct pair {
    int first, second;
};

static struct pair from = {1, 1}, to;

static void *copy(void *unused) {
    to = from;
    return unused;
}

static void *look(void *unused) {
    assert(to.first == 0); // @unset
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, copy, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
