//@ why: POSIX.1-2008 lets a static initialiser be assigned to any object, not only to one with
//@      static storage. Before main creates a thread it has stored all bytes, so the thread finds
//@      them under every model: objects in a local variable or in the heap are usable, and two
//@      threads lock one mutex in 2! orders, as often as the function is called. A mutex that
//@      main makes a normal one deadlocks when its owner locks it again, and one that main makes
//@      recursive does not, whatever the variable began as. A mutex to which nobody has stored is
//@      none. Where a thread learns the address from memory, or a mutex gets another type, it is
//@      refused, since it is not known which initialiser a thread finds.
//@ run: -DLOCAL --model tso
//@ verdict: clean
//@ executions: 2
//@ run: -DLOCAL -DTWICE --model pso
//@ verdict: clean
//@ executions: 4
//@ run: -DLOCAL -DTWICE -DBY_FUNCTION --model tso
//@ verdict: clean
//@ executions: 4
//@ run: -DLOCAL -DBY_FUNCTION --model sc --explorer rsmc
//@ verdict: clean
//@ executions: 2
//@ run: -DOTHERS --model tso
//@ verdict: clean
//@ run: -DOTHERS --model power
//@ verdict: clean
//@ run: -DTYPE=PTHREAD_MUTEX_INITIALIZER -DWAS=PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP --model tso
//@ verdict: violations
//@ executions: 1
//@ deadlock: join again
//@ run: -DTYPE=PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP -DWAS=PTHREAD_MUTEX_INITIALIZER --model tso
//@ verdict: clean
//@ executions: 1
//@ run: -DNONE --model tso
//@ verdict: violations
//@ misuse: relock
//@ run: -DPUBLISHED --model pso
//@ verdict: unsupported
//@ unsupported: relock not clear that the operation finds it
//@ run: -DRETYPED --model tso
//@ verdict: unsupported
//@ unsupported: init another type than before
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#if defined LOCAL
struct counter {
    pthread_mutex_t mutex;
    int count;
};

static void *counts(void *argument) {
    struct counter *counter = argument;
    pthread_mutex_lock(&counter->mutex);
    counter->count++;
    pthread_mutex_unlock(&counter->mutex);
    return NULL;
}

__attribute__((noinline)) static void use(void) {
    struct counter counter = {.mutex = PTHREAD_MUTEX_INITIALIZER};
#ifdef BY_FUNCTION
    pthread_mutex_init(&counter.mutex, NULL);
#endif
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, counts, &counter);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter.count == 2);
#ifdef BY_FUNCTION
    pthread_mutex_destroy(&counter.mutex);
#endif
}

int main(void) {
    use();
#ifdef TWICE
    use();
#endif
}
#elif defined OTHERS
struct objects {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pthread_rwlock_t lock;
    pthread_once_t once;
    int ready;
};
static int made;

static void make(void) { made++; }

static void *signals(void *argument) {
    struct objects *objects = argument;
    pthread_mutex_lock(&objects->mutex);
    objects->ready = 1;
    pthread_cond_signal(&objects->condition);
    pthread_mutex_unlock(&objects->mutex);
    pthread_rwlock_wrlock(&objects->lock);
    pthread_rwlock_unlock(&objects->lock);
    pthread_once(&objects->once, make);
    return NULL;
}

int main(void) {
    struct objects *objects = malloc(sizeof *objects);
    objects->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    objects->condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    objects->lock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    objects->once = PTHREAD_ONCE_INIT;
    objects->ready = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, signals, objects);
    pthread_mutex_lock(&objects->mutex);
    while (!objects->ready)
        pthread_cond_wait(&objects->condition, &objects->mutex);
    pthread_mutex_unlock(&objects->mutex);
    pthread_once(&objects->once, make);
    pthread_join(thread, NULL);
    assert(made == 1);
    free(objects);
}
#else
static pthread_mutex_t variable
#ifdef WAS
    = WAS
#endif
    ;
static pthread_mutex_t *_Atomic published;

static void *locks(void *argument) {
    pthread_mutex_t *mutex = argument ? argument : published;
    if (!mutex)
        return NULL;
    pthread_mutex_lock(mutex); // @relock
#ifdef TYPE
    pthread_mutex_lock(mutex); // @again
    pthread_mutex_unlock(mutex);
#endif
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void begin_and_end(void *argument) {
    pthread_t thread;
    pthread_create(&thread, NULL, locks, argument);
#ifdef PUBLISHED
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    *mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    published = mutex;
#endif
    pthread_join(thread, NULL); // @join
}

#ifdef RETYPED
static void use_as(int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(&variable, &attributes); // @init
    begin_and_end(&variable);
    pthread_mutex_destroy(&variable);
}
#endif

int main(void) {
#if defined TYPE
    variable = (pthread_mutex_t)TYPE;
    begin_and_end(&variable);
#elif defined NONE
    pthread_mutex_t mutex;
    begin_and_end(&mutex);
#elif defined PUBLISHED
    begin_and_end(NULL);
#else
    use_as(PTHREAD_MUTEX_NORMAL);
    use_as(PTHREAD_MUTEX_RECURSIVE);
#endif
}
#endif
