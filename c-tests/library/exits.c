//@ why: In each execution constructors run before main, by priority, and what atexit was
//@      given runs after main returns or exit is called, the last one first, then destructors;
//@      with _Exit none of them, with quick_exit its own. So the last of them sees all that came
//@      before, and the assertion in it is reached once an execution: there are two, for the two
//@      choices.
//@ run: -DEND=0 --preemptions none
//@ verdict: violations
//@ executions: 2
//@ assertion: destructor
//@ run: -DEND=1 --preemptions none
//@ verdict: violations
//@ executions: 2
//@ assertion: destructor
//@ run: -DEND=2 --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: -DEND=3 --preemptions none
//@ verdict: violations
//@ executions: 2
//@ assertion: quick
#include <assert.h>
#include <fencehound.h>
#include <stdlib.h>

int order;
int *block;

__attribute__((constructor(201))) static void first(void) {
    assert(order == 0);
    order = 1;
    block = malloc(sizeof *block);
    *block = 5;
}

__attribute__((constructor(202))) static void second(void) {
    assert(order == 1);
    order = 2;
}

__attribute__((destructor)) static void last(void) {
    assert(order == 20);
    assert(*block == 5); // the next one is reached
    assert(0);           // @destructor
}

static void handler(void) {
    assert(order == 10);
    order = 20;
}

static void later_handler(void) {
    assert(order == 2);
    order = 10;
}

static void quick(void) {
    assert(order == 3); // @quick
}

int main(void) {
    assert(order == 2 && *block == 5);
    fh_choose(2);
    atexit(handler);
    atexit(later_handler);
    at_quick_exit(quick);
    if (END == 1)
        exit(0);
    if (END == 2)
        _Exit(0);
    if (END == 3)
        quick_exit(0);
    return 0;
}
