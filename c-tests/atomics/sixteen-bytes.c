//@ why: A store of 16 bytes is one event, and commits whole: a reader sees all of one store, and
//@      none of it is lost between two. A plain struct of this size is copied in pieces of 8 bytes,
//@      so a reader between them sees halves of two stores. Two threads of one store each, the
//@      other of one load: 1 + 1 events, or 2 + 2 in pieces.
//@ run: -DQUALIFIER=_Atomic --preemptions none
//@ verdict: clean
//@ run: -DQUALIFIER=_Atomic --cflags=-mcx16 --preemptions none
//@ verdict: clean
//@ run: -DQUALIFIER= --preemptions none --monitor none
//@ verdict: violations
//@ assertion: halves
#include <assert.h>
#include <pthread.h>

struct pair {
    long first, second;
};

QUALIFIER struct pair shared;

static void *writer(void *unused) {
    struct pair value = {1, 1};
    shared = value;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    struct pair now = shared;
    assert(now.first == now.second); // @halves
    pthread_join(thread, NULL);
    return 0;
}
