//@ why: A thread that nobody controls would run beside the schedule, unseen.
//@ run:
//@ verdict: unsupported
//@ unsupported: create thrd_create
#include <threads.h>

int x, y;

static int left(void *unused) {
    (void)unused;
    x = 1;
    return y;
}

int main(void) {
    thrd_t thread;
    thrd_create(&thread, left, NULL); // @create
    y = 1;
    return x;
}
