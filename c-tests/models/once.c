//@ why: Of three threads that call it one runs the function, and the others see what it did: three
//@      executions, since those that find it done do not care about each other.
//@ run: --model power
//@ verdict: clean
//@ executions: 3
//@ run: --model tso
//@ verdict: clean
//@ executions: 3
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value;

static void initialise(void) { value++; }

static void *body(void *unused) {
    pthread_once(&once, initialise);
    assert(value == 1);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, body, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
