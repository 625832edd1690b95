//@ why: A writer and two readers. The orders of the six operations in which the writer holds the
//@      lock alone: the readers are a block of four operations, or two blocks of two, around the
//@      writer's. Both before or both after it: 2 places times 4! / (2! 2!) = 6 orders of two reads
//@      each of two operations; one before, one after: 2. That is 14. The lock orders the data
//@      under every model, which a reader that does not take it sees half done.
//@ run: --model power
//@ verdict: clean
//@ executions: 14
//@ run: --model tso
//@ verdict: clean
//@ executions: 14
//@ run: -DUNLOCKED --model power
//@ verdict: violations
//@ assertion: half
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;

static void *writer(void *unused) {
    pthread_rwlock_wrlock(&lock);
    a++;
    b++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *reader(void *unused) {
#ifndef UNLOCKED
    pthread_rwlock_rdlock(&lock);
#endif
    int first = a, second = b;
    assert(first == second); // @half
#ifndef UNLOCKED
    pthread_rwlock_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_create(&threads[2], 0, reader, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
