//@ why: POSIX: pthread_exit runs the cleanup handlers, the newest first, then the
//@      destructors of values that are not null. One that leaves a value is called again, at
//@      most PTHREAD_DESTRUCTOR_ITERATIONS (4) times. A handler that is popped runs if it is
//@      asked to.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 1
//@ run: --explorer rsmc
//@ verdict: clean
//@ executions: 1
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>

pthread_key_t once, for_ever, none;
int order, first, second, popped, skipped, destroyed, again;

static void note(void *place) { *(int *)place = ++order; }

static void destroy(void *value) {
    assert(value == &destroyed && pthread_getspecific(once) == NULL);
    destroyed = ++order;
}

static void keep(void *value) {
    again++;
    pthread_setspecific(for_ever, value);
}

static void nested(void) {
    pthread_cleanup_push(note, &second);
    pthread_exit(&order);
    pthread_cleanup_pop(0);
}

static void *body(void *unused) {
    assert(pthread_getspecific(once) == NULL);
    assert(pthread_setspecific(once, &destroyed) == 0);
    assert(pthread_setspecific(for_ever, &again) == 0);
    assert(pthread_setspecific(none, &order) == 0);
    assert(pthread_getspecific(once) == &destroyed);
    pthread_cleanup_push(note, &first);
    pthread_cleanup_push(note, &popped);
    pthread_cleanup_push(note, &skipped);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    nested();
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    assert(pthread_key_create(&once, destroy) == 0);
    assert(pthread_key_create(&for_ever, keep) == 0);
    assert(pthread_key_create(&none, NULL) == 0);
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, &result);
    assert(result == &order);
    assert(popped == 1 && second == 2 && first == 3 && destroyed == 4 && skipped == 0);
    assert(again == PTHREAD_DESTRUCTOR_ITERATIONS);
    assert(pthread_key_delete(once) == 0 && pthread_setspecific(once, &order) != 0);
    return 0;
}
