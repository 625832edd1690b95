//@ why: A computation that takes longer than a thread may compute without an operation that
//@      others could see: it ends some time, so it is no livelock, and nothing is known of what
//@      comes after.
//@ run: --local-timeout 1s
//@ verdict: incomplete
//@ executions: 0
//@ stopped-by: local-timeout
//@ run: --explorer dpor --local-timeout 1s
//@ verdict: incomplete
//@ stopped-by: local-timeout
//@ run: --model tso --local-timeout 1s
//@ verdict: incomplete
//@ stopped-by: local-timeout
#include <pthread.h>

volatile unsigned long result;

static unsigned long compute(unsigned long rounds) {
    unsigned long hash = 1;
    for (unsigned long round = 0; round < rounds; round++)
        hash = hash * 31 + (round ^ hash);
    return hash;
}

static void *body(void *unused) {
    result = compute(12000000000);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    return 0;
}
