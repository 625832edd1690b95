//@ why: strcpy writes a string of 13 bytes with its zero in pieces of eight, four and one,
//@      so strcmp in another thread can see one of the pieces of a new string: neither the old
//@      one nor the new one. That takes two preemptions: to the writer, and back before it has
//@      finished. With one, main is before all of the writer's pieces or behind them at its
//@      first or its second look. A mutex keeps the pieces together.
//@ run: --monitor none --preemptions 1
//@ verdict: clean
//@ run: --monitor none --preemptions 2
//@ verdict: violations
//@ assertion: torn
//@ run: -DLOCKED --monitor none --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <string.h>

_Alignas(8) char shared[16] = "aaaaaaaaaaaa";
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
}

static void unlock(void) {
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
}

static void *writer(void *unused) {
    lock();
    strcpy(shared, "bbbbbbbbbbbb");
    unlock();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    lock();
    int old = strcmp(shared, "aaaaaaaaaaaa") == 0;
    unlock();
    lock();
    int new = strcmp(shared, "bbbbbbbbbbbb") == 0;
    unlock();
    lock();
    assert(old || new || strcmp(shared, "bbbbbbbbbbbb") == 0); // @torn
    unlock();
    pthread_join(thread, NULL);
    return 0;
}
