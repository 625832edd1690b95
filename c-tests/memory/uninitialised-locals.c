//@ why: What a local variable holds that is not initialised is the same in every execution,
//@      whatever ran on the stack before: 0xa5 in each byte, as in fresh memory of the heap. So
//@      a program that reads it by mistake is deterministic. The thread loads and stores x, main
//@      loads it, and each loads where the function is, and the variable: C(4 + 3, 3)
//@      interleavings.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 35
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

volatile int x;

static int look(const unsigned *at) { return *at == 0xa5a5a5a5u; }

static int (*volatile function)(const unsigned *) = look;

static __attribute__((noinline)) int untouched(void) {
    unsigned nothing[4];
    return function(&nothing[2]);
}

static __attribute__((noinline)) void leave_traces(int trace) {
    volatile char on_the_stack[256];
    for (size_t index = 0; index < sizeof(on_the_stack); index++)
        on_the_stack[index] = (char)trace;
}

static void *body(void *unused) {
    leave_traces(++x == 1 ? 3 : 4);
    assert(untouched());
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    leave_traces(x + 5);
    assert(untouched());
    pthread_join(thread, NULL);
    return 0;
}
