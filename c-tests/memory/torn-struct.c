//@ why: A struct of 16 bytes is copied in pieces of 8: a reader may see one half old and the other
//@      new. One of 8 bytes is copied whole. Both threads go through the halves in the same order,
//@      so that no store is overtaken: what is read is torn, but sequentially consistent.
//@ run: -DMEMBER=long --preemptions 2
//@ verdict: violations
//@ assertion: check
//@ run: -DMEMBER=int --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>

struct pair {
    MEMBER first, second;
};

_Alignas(16) struct pair shared;

static void *writer(void *unused) {
    struct pair value = {1, 1};
    shared = value;
    return unused;
}

static void *reader(void *unused) {
    struct pair value = shared;
    assert(value.first == value.second); // @check
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
