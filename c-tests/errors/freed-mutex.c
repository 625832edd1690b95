//@ why: The mutex is in the block that it protects, and who locks it first frees the block after
//@      the unlock. The other one may come to the mutex after that, or hold it while the block
//@      is freed, and then load the count, store it, or unlock the mutex there. With a count of
//@      users that each thread leaves at its end, who frees is alone.
//@ run: --monitor none
//@ verdict: violations
//@ use-after-free: lock free allocation, count free allocation, count free allocation, unlock
//@      free allocation
//@ run: --monitor none --explorer dpor
//@ verdict: violations
//@ use-after-free: lock free allocation, count free allocation, count free allocation, unlock
//@      free allocation
//@ run: -DCOUNTED --monitor none --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t mutex;
    int value;
};

struct object *object;
_Atomic(int) users = 2;

static void *body(void *unused) {
    pthread_mutex_lock(&object->mutex);   // @lock
    int last = ++object->value == 1;      // @count
    pthread_mutex_unlock(&object->mutex); // @unlock
#ifdef COUNTED
    last = --users == 0;
#endif
    if (last)
        free(object); // @free
    return unused;
}

int main(void) {
    pthread_t threads[2];
    object = malloc(sizeof *object); // @allocation
    pthread_mutex_init(&object->mutex, NULL);
    object->value = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
