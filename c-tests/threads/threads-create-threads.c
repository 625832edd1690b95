//@ why: A thread that creates a thread and joins it orders all before and after; a thread may also
//@      be joined by another one than its creator. One chain of events has one execution.
//@ run: -DCHAIN --preemptions none
//@ verdict: clean
//@ executions: 1
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int sum;
pthread_t grandchild;

static void *leaf(void *unused) {
    sum++;
    return unused;
}

#ifdef CHAIN
static void *node(void *depth) {
    pthread_t child;
    sum++;
    if ((intptr_t)depth > 0) {
        pthread_create(&child, NULL, node, (void *)((intptr_t)depth - 1));
        pthread_join(child, NULL);
    } else {
        pthread_create(&child, NULL, leaf, NULL);
        pthread_join(child, NULL);
    }
    sum++;
    return NULL;
}

int main(void) {
    pthread_t child;
    pthread_create(&child, NULL, node, (void *)3);
    pthread_join(child, NULL);
    assert(sum == 4 + 1 + 4);
    return 0;
}
#else
static void *parent(void *unused) {
    pthread_create(&grandchild, NULL, leaf, NULL);
    return unused;
}

int main(void) {
    pthread_t child;
    pthread_create(&child, NULL, parent, NULL);
    pthread_join(child, NULL);
    pthread_join(grandchild, NULL);
    assert(sum == 1);
    return 0;
}
#endif
