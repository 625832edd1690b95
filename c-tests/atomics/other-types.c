//@ why: Atomics of other types than integers, of at most 8 bytes: floating point, pointers,
//@      booleans, enumerations and structs are loaded, stored, exchanged and compared whole.
//@      Additions of two threads are not lost, and their sum is exact in floating point.
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum color { RED, GREEN };
struct point {
    short x, y;
};

int numbers[4];
_Atomic double sum;
_Atomic float half = 0.5F;
_Atomic(int *) cursor = numbers;
atomic_bool ready;
_Atomic enum color color;
_Atomic struct point point;

static void *body(void *unused) {
    sum += 0.25;
    atomic_fetch_add(&cursor, 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(sum == 0.5);
    assert(cursor == numbers + 2);

    assert(atomic_exchange(&half, 2.0F) == 0.5F && half == 2.0F);
    assert(!atomic_exchange(&ready, true) && ready);
    color = GREEN;
    assert(color == GREEN);
    atomic_store(&point, ((struct point){3, 4}));
    struct point expected = {3, 4};
    assert(atomic_compare_exchange_strong(&point, &expected, ((struct point){5, 6})));
    struct point now = atomic_load(&point);
    assert(now.x == 5 && now.y == 6);
    return 0;
}
