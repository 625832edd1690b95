//@ why: A thread is given the address of a local variable of a function that may return before the
//@      thread looks at it. If the function waits for the thread, it does not. The memory is there
//@      all the same, and may even hold the old value: nothing crashes. A variable of the same
//@      function called again is another one, and can be used.
//@ run: --monitor none
//@ verdict: violations
//@ use-after-free: load declare
//@ run: -DJOIN --monitor none --preemptions none
//@ verdict: clean
#include <pthread.h>

static void *body(void *argument) {
    return *(volatile int *)argument ? argument : NULL; // @load
}

static void deeper(int levels) {
    volatile char room[200];
    room[0] = (char)levels;
    if (levels)
        deeper(levels - 1);
    room[1] = room[0];
}

__attribute__((noinline)) static pthread_t start(void) { // @declare
    pthread_t thread;
    int local = 5;
    pthread_create(&thread, NULL, body, &local);
#ifdef JOIN
    pthread_join(thread, NULL);
#endif
    return thread;
}

int main(void) {
    pthread_t first = start();
    deeper(3);
    pthread_t second = start();
#ifndef JOIN
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#else
    (void)first, (void)second;
#endif
    return 0;
}
