//@ why: A semaphore orders what comes before a post and what comes after the wait that takes it:
//@      one execution. A try may come first, and fail: two. Without the
//@      post the wait has no end.
//@ run: -DKIND=0 --model power
//@ verdict: clean
//@ executions: 1
//@ run: -DKIND=0 --model pso
//@ verdict: clean
//@ executions: 1
//@ run: -DKIND=1 --model power
//@ verdict: clean
//@ executions: 2
//@ run: -DKIND=2 --model power
//@ verdict: violations
//@ lost-wakeup: join take
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;
static int data;

static void *post(void *unused) {
    data = 1;
#if KIND != 2
    sem_post(&semaphore);
#endif
    return unused;
}

static void *take(void *unused) {
#if KIND == 1
    if (sem_trywait(&semaphore))
        return unused;
#else
    sem_wait(&semaphore); // @take
#endif
    assert(data == 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    sem_init(&semaphore, 0, 0);
    pthread_create(&a, 0, post, 0);
    pthread_create(&b, 0, take, 0);
    pthread_join(a, 0);
    pthread_join(b, 0); // @join
    sem_destroy(&semaphore);
}
