//@ why: Two local variables whose addresses leave their function lie in the same eight bytes;
//@      the reader fills them by these addresses. Nobody else touches the locals, so classes
//@      differ in what the two loads read. The writer stores the data, then the flag. Who loads
//@      the flag first reads one of three pairs, not a set flag without data; the stores may
//@      change places under PSO. Who loads the data first (-DBACKWARDS) reads any of four pairs,
//@      and none of that is a cycle. With -DTWICE the reader calls its function two times: flag,
//@      data, flag, data. The store of the data takes one of three places among the loads of the
//@      data, that of the flag one of three among those of the flag, and of these nine it would
//@      have to come before that of the data in three: before the first load of the flag with the
//@      data after the first or second one, and before the second one with the data after the
//@      second one.
//@ run: --explorer dpor
//@ executions: 3
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: --explorer dpor -DT=char
//@ executions: 3
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: --explorer dpor -DT=long
//@ executions: 3
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: --explorer dpor -DT=char -DTWICE
//@ executions: 6
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: --explorer dpor -DBACKWARDS
//@ executions: 4
//@ verdict: violations
//@ assertion: check
//@ run: --explorer dpor -DBACKWARDS -DT=char
//@ executions: 4
//@ verdict: violations
//@ assertion: check
#include <assert.h>
#include <pthread.h>

#ifndef T
#define T int
#endif

static volatile int data, flag;

static void *writer(void *unused) {
    data = 1; // @store-data
    flag = 1;
    return unused;
}

static void get(T *is_set, T *found) {
#ifdef BACKWARDS
    *found = data;
    *is_set = flag;
#else
    *is_set = flag;
    *found = data; // @load-data
#endif
}

static int is_right(void) {
    T is_set, found;
    get(&is_set, &found);
    return !is_set || found;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
#ifdef TWICE
    assert(is_right());
#endif
    assert(is_right()); // @check
    pthread_join(thread, NULL);
    return 0;
}
