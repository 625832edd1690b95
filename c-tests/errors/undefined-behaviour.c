//@ why: Two threads each add 1 to INT_MAX - 1: the second addition that reads what the first
//@      has written overflows. Where both read INT_MAX - 1, none does. With the checks of clang
//@      switched on, each is a crash at its operation; without them nothing is looked for. With
//@      SHIFT, INDEX and NULLS an operation is wrong in each execution.
//@ run: -DWHAT=ADD --preemptions none --cflags=-fsanitize=undefined --cflags=-fsanitize-trap=all
//@ verdict: violations
//@ crash: add
//@ run: -DWHAT=SHIFT --cflags=-fsanitize=undefined --cflags=-fsanitize-trap=all
//@ verdict: violations
//@ crash: shift
//@ run: -DWHAT=INDEX --cflags=-fsanitize=undefined --cflags=-fsanitize-trap=all
//@ verdict: violations
//@ crash: index
//@ run: -DWHAT=NULLS --cflags=-fsanitize=undefined --cflags=-fsanitize-trap=all
//@ verdict: violations
//@ crash: null
//@ run: -DWHAT=ADD --preemptions none
//@ verdict: clean
#include <limits.h>
#include <pthread.h>
#include <stddef.h>

enum { ADD, SHIFT, INDEX, NULLS };

static volatile int x = INT_MAX - 1, y, by = 40;

static void *add(void *unused) {
    x = x + 1; // @add
    return unused;
}

int main(void) {
    pthread_t thread;
    int numbers[4] = {0}, *volatile nowhere = NULL;
    switch (WHAT) {
    case ADD:
        pthread_create(&thread, NULL, add, NULL);
        add(NULL);
        pthread_join(thread, NULL);
        break;
    case SHIFT:
        y = 1 << by; // @shift
        break;
    case INDEX:
        y = numbers[by]; // @index
        break;
    case NULLS:
        *nowhere = 1; // @null
        break;
    }
    return 0;
}
