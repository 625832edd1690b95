//@ why: The first thread's store changes nothing until the other lowers c; then it does, and both
//@      go on. Nobody waits for ever.
//@ run: --preemptions none --monitor none
//@ verdict: clean
#include <pthread.h>
#include <stddef.h>

volatile int c = 1, f;

static void *raise_again(void *unused) {
    while (!f)
        c = 1;
    return unused;
}

static void *lower(void *unused) {
    c = 0;
    while (!c)
        ;
    f = 1;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, raise_again, NULL);
    pthread_create(&other, NULL, lower, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
