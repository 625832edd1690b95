//@ why: Each thread has its own value of a key, and hands it to the destructor as it ends, by a
//@      return or from within. The two destructors add in either order: two executions.
//@ run: --model power
//@ verdict: clean
//@ executions: 2
//@ run: --model tso
//@ verdict: clean
//@ executions: 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_key_t key, other;
static atomic_int gone;
static int one = 1, two = 2;

static void drop(void *value) { atomic_fetch_add(&gone, *(int *)value); }

static void *body(void *argument) {
    assert(!pthread_getspecific(key));
    pthread_setspecific(key, argument);
    assert(pthread_getspecific(key) == argument);
    assert(!pthread_getspecific(other));
    if (argument == &two)
        pthread_exit(0);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, drop);
    pthread_key_create(&other, 0);
    pthread_create(&a, 0, body, &one);
    pthread_create(&b, 0, body, &two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(gone == 3);
    pthread_key_delete(key);
    pthread_key_delete(other);
}
