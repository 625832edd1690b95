//@ why: An atomic of 24 bytes has no instruction: a lock of the compiler's library makes it one
//@      step, and so it is one event here. The two threads add to all three numbers at once, in a
//@      loop around a compare-and-exchange of the whole, so no addition is lost, and the numbers
//@      are never seen apart.
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};

_Atomic struct triple shared;

static void *body(void *unused) {
    struct triple old = atomic_load(&shared), new;
    do {
        assert(old.b == 2 * old.a && old.c == 3 * old.a);
        new = (struct triple){old.a + 1, old.b + 2, old.c + 3};
    } while (!atomic_compare_exchange_strong(&shared, &old, new));
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    struct triple end = shared;
    assert(end.a == 2 && end.b == 4 && end.c == 6);
    return 0;
}
