//@ why: pthread_self is the same for a thread whenever it asks, equal to what its creator was
//@      given, and different from any other thread's.
//@ run: --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>

static void *body(void *unused) {
    (void)unused;
    pthread_t first = pthread_self();
    assert(pthread_equal(first, pthread_self()));
    return (void *)first;
}

int main(void) {
    pthread_t threads[2];
    void *selves[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &selves[i]);
    assert(pthread_equal((pthread_t)selves[0], threads[0]));
    assert(pthread_equal((pthread_t)selves[1], threads[1]));
    assert(!pthread_equal(threads[0], threads[1]));
    assert(!pthread_equal(threads[0], pthread_self()));
    return 0;
}
