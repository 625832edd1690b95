//@ why: The counter of cycles is another one in each execution. It decides here whether
//@      there is one more event, so the same schedule does not give the same events:
//@      nondeterministic, and never clean.
//@ run: --preemptions none
//@ verdict: unsupported
//@ nondeterministic: event
#include <pthread.h>

volatile int event;

static void *body(void *unused) {
    for (long i = __builtin_ia32_rdtsc() / 8 % 5; i >= 0; i--)
        event = 1; // @event
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
