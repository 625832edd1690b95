//@ why: Structures that x86-64 passes and returns in registers: clang loads and stores eight
//@      bytes at once for two ints or two floats, where the program copies members. Copied as a
//@      whole on both sides, they are seen as a whole, in interleavings and in graphs. The
//@      writer's copy has its members in memory that another thread could know (`known`).
//@ run: --preemptions none
//@ verdict: clean
//@ run: --explorer dpor
//@ executions: 2
//@ verdict: clean
//@ run: --explorer rsmc
//@ executions: 2
//@ verdict: clean
//@ run: --model tso
//@ executions: 2
//@ verdict: clean
//@ run: --model power
//@ executions: 2
//@ verdict: clean
//@ run: -DFLOATS --model pso
//@ executions: 2
//@ verdict: clean
//@ run: -DMEMBERS --model tso
//@ why: The writer sets one member after the other. To graphs a copy is one access for each
//@      member, and the second one can be read newer than the first: 0 and 1. All of 0 and 0, 1
//@      and 0, 0 and 1, 1 and 1 are there: four executions.
//@ executions: 4
//@ verdict: violations
//@ assertion: torn
//@ run: -DMEMBERS --explorer rsmc
//@ executions: 4
//@ verdict: violations
//@ assertion: torn
#include <assert.h>
#include <pthread.h>

#ifdef FLOATS
typedef float member;
#else
typedef int member;
#endif

struct pair {
    member first, second;
};

static struct pair shared, *known;

static member difference(struct pair pair) { return pair.second - pair.first; }

static struct pair twice(member value) {
    struct pair pair = {value, value};
    return pair;
}

static void *writer(void *unused) {
#ifdef MEMBERS
    shared.first = 1;
    shared.second = 1;
#else
    struct pair own = twice(1);
    known = &own;
    shared = own;
#endif
    return unused;
}

static void *reader(void *unused) {
    assert(difference(shared) <= 0); // @torn
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
