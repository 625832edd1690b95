//@ why: The functions of SV-COMP's programs: an assumption that drops what it denies, and an error
//@      function that is a failure where it is reached, which here needs a lost update.
//@ run: --preemptions 1
//@ verdict: violations
//@ assertion: error
//@ blocked: 0
#include <pthread.h>

extern void reach_error(void);
extern void __VERIFIER_assume(int);

volatile int counter;

static void *increment(void *unused) {
    int before = counter;
    counter = before + 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    __VERIFIER_assume(counter > 0);
    if (counter != 2)
        reach_error(); // @error
    return 0;
}
