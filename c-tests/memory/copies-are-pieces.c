//@ why: A memset, memcpy or struct copy is one event for each aligned piece of at most 8 bytes (and
//@      side): 16 aligned bytes are 2 events, 13 bytes from offset 3 are pieces at 3, 4, 8 and up
//@      to 16, one of 1, one of 4 and one of 8. Against one access of main, n events of the thread
//@      make n + 1 executions: the number tells the number of events.
//@ verdict: clean
//@ run: -DFILL -DFROM=0 -DLENGTH=16 --preemptions none
//@ executions: 3
//@ run: -DFILL -DFROM=3 -DLENGTH=13 --preemptions none
//@ executions: 4
//@ run: -DFILL -DFROM=1 -DLENGTH=1 --preemptions none
//@ executions: 2
//@ run: -DCOPY -DFROM=0 -DLENGTH=16 --preemptions none
//@ why: Two loads and two stores.
//@ executions: 5
//@ run: -DASSIGN --preemptions none
//@ why: 20 bytes are two pieces of 8 and one of 4, each loaded and stored.
//@ executions: 7
#include <pthread.h>
#include <string.h>

_Alignas(16) char target[32], source[32];
volatile int other;

struct twenty {
    int parts[5];
};
_Alignas(16) struct twenty to, from;

static void *body(void *unused) {
#if defined FILL
    memset(target + FROM, 1, LENGTH);
#elif defined COPY
    memcpy(target + FROM, source + FROM, LENGTH);
#else
    to = from;
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    other = 1;
    pthread_join(thread, NULL);
    return 0;
}
