//@ why: The holder of a recursive mutex may lock it again; others wait until it is unlocked as
//@      often. So the two increments of each thread are never divided, and each unlock succeeds.
//@ run: --preemptions none
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t lock;
pthread_mutex_t static_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int counter;

static void *body(void *unused) {
    assert(pthread_mutex_lock(&lock) == 0);
    int before = counter;
    assert(pthread_mutex_lock(&lock) == 0);
    counter = before + 1;
    assert(pthread_mutex_unlock(&lock) == 0);
    // Still held.
    assert(counter == before + 1);
    counter = before + 2;
    assert(pthread_mutex_unlock(&lock) == 0);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);

    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 4);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    pthread_mutex_destroy(&lock);

    assert(pthread_mutex_lock(&static_lock) == 0);
    assert(pthread_mutex_trylock(&static_lock) == 0);
    assert(pthread_mutex_unlock(&static_lock) == 0);
    assert(pthread_mutex_unlock(&static_lock) == 0);
    return 0;
}
