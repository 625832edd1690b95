//@ why: longjmp continues where the same thread called setjmp, also out of a comparison that qsort
//@      calls, and as often as one likes; each thread has jumps of its own. What was written before
//@      stays written. Into another thread there is no jump. The memory of a function that was
//@      jumped out of is gone, as if it had returned.
//@ run: --preemptions 1
//@ verdict: clean
//@ run: -DINTO_ANOTHER
//@ verdict: violations
//@ misuse: another
//@ run: -DLOST
//@ verdict: violations
//@ use-after-free: lost function
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

jmp_buf common;
volatile int written;
int *volatile pointer;

static int leave(const void *left, const void *right) {
    (void)left, (void)right;
    written = 1;
    longjmp(common, 5);
}

__attribute__((noinline)) static void deep(jmp_buf buffer, int levels) { // @function
    int local = levels;
    pointer = &local;
    if (levels == 0)
        longjmp(buffer, 7);
    deep(buffer, levels - 1);
}

static void *body(void *unused) {
    jmp_buf own;
    volatile int rounds = 0;
    int value = setjmp(own);
    assert(value == (rounds ? 7 : 0));
    if (rounds++ < 3)
        deep(own, rounds);
    assert(rounds == 4);
#ifdef LOST
    return *pointer ? unused : NULL; // @lost
#endif
#ifdef INTO_ANOTHER
    longjmp(common, 1); // @another
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    char two[2] = "ab";
    pthread_create(&thread, NULL, body, NULL);
    if (setjmp(common) == 0) {
        qsort(two, 2, 1, leave);
        assert(0);
    }
    assert(written == 1);
    pthread_join(thread, NULL);
    return 0;
}
