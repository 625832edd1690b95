//@ why: C11's names for the same things. Two sections under a mutex in 2 orders; the
//@      waiter's flag is set before it looks or while it sleeps.
//@ run: -DSECTIONS --preemptions none
//@ verdict: clean
//@ executions: 2
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DRESULTS --preemptions none
//@ verdict: clean
//@ executions: 1
#include <assert.h>
#include <threads.h>

mtx_t mutex;
cnd_t condition;
once_flag flag = ONCE_FLAG_INIT;
tss_t key;
thread_local int mine = 1;
int ready, runs, destroyed;

static void run(void) { runs++; }

static void destroy(void *value) { *(int *)value += 1; }

static int body(void *argument) {
#ifdef RESULTS
    call_once(&flag, run);
    call_once(&flag, run);
    mine = 2;
    assert(tss_get(key) == NULL);
    assert(tss_set(key, &destroyed) == thrd_success && tss_get(key) == &destroyed);
    assert(mtx_trylock(&mutex) == thrd_success);
    assert(mtx_trylock(&mutex) == thrd_success);
    mtx_unlock(&mutex);
    mtx_unlock(&mutex);
    thrd_yield();
    thrd_exit(-7);
#else
    mtx_lock(&mutex);
    ready = 1;
#ifndef SECTIONS
    cnd_signal(&condition);
#endif
    mtx_unlock(&mutex);
#endif
    return argument != NULL;
}

int main(void) {
    thrd_t thread;
    int result;
#ifdef RESULTS
    mtx_init(&mutex, mtx_plain | mtx_recursive);
#else
    mtx_init(&mutex, mtx_plain);
#endif
    cnd_init(&condition);
    tss_create(&key, destroy);
    assert(thrd_create(&thread, body, &ready) == thrd_success);
    assert(!thrd_equal(thread, thrd_current()));
#if defined SECTIONS
    mtx_lock(&mutex);
    mtx_unlock(&mutex);
#elif !defined RESULTS
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&condition, &mutex);
    mtx_unlock(&mutex);
#endif
    assert(thrd_join(thread, &result) == thrd_success);
#ifdef RESULTS
    assert(result == -7 && runs == 1 && destroyed == 1 && mine == 1);
#else
    assert(result == 1 && ready == 1);
#endif
    mtx_destroy(&mutex);
    cnd_destroy(&condition);
    tss_delete(key);
    return 0;
}
