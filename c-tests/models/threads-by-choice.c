//@ why: Which threads there are is chosen: two of main's, or one that creates another, which
//@      fails. Whoever replays the failure must number the threads as the search did, which had
//@      met two of main's before.
//@ verdict: violations
//@ executions: 2
//@ assertion: fails
//@ run: --explorer rsmc
//@ run: --model tso
//@ run: --model pso
#include <assert.h>
#include <fencehound.h>
#include <pthread.h>

static void *nothing(void *unused) { return unused; }

static void *fail(void *unused) {
    assert(unused); // @fails
    return unused;
}

static void *create(void *unused) {
    pthread_t child;
    pthread_create(&child, NULL, fail, NULL);
    pthread_join(child, NULL);
    return unused;
}

int main(void) {
    pthread_t one, other;
    if (fh_choose(2)) {
        pthread_create(&one, NULL, create, NULL);
    } else {
        pthread_create(&one, NULL, nothing, NULL);
        pthread_create(&other, NULL, nothing, NULL);
        pthread_join(other, NULL);
    }
    pthread_join(one, NULL);
    return 0;
}
