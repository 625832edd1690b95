//@ why: Each call needs some stack, and there is only so much: a crash, which must not take the
//@      tool with it, in the thread that recurses.
//@ run: -DSTEP=1
//@ verdict: violations
//@ crash: access
//@ run: -DSTEP=0
//@ why: The same without the endless recursion.
//@ verdict: clean
#include <pthread.h>

volatile int depth;

static int recurse(int level) {
    volatile char frame[10000];
    frame[level % 10000] = 1;
    depth = level; // @access
    if (STEP && level >= 0)
        return recurse(level + STEP) + frame[0];
    return 0;
}

static void *body(void *unused) {
    (void)recurse(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    return 0;
}
