//@ why: What a destructor of thread-specific data does depends on the key and on the value. Each of
//@      the two adds to a counter by a load and a store: a load reads the other's store (once each
//@      way), or both read 0, and then the two stores come in either order: four executions.
//@ verdict: clean
//@ executions: 4
//@ run: --model power
//@ run: --model armv8
//@ run: --model riscv
#include <pthread.h>

static pthread_key_t key;
static int ended;

static void end(void *value) { ended = ended + (int)(long)value; }

static void *one(void *argument) {
    pthread_setspecific(key, (void *)1);
    return argument;
}

static void *two(void *argument) {
    pthread_setspecific(key, (void *)2);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, end);
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
