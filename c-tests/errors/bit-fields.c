//@ why: Neighbouring bit-fields are one memory location (C11 3.14): each thread loads the byte that
//@      holds both and stores it again, so one of two updates can be lost. With a field of width
//@      zero in between they are two locations.
//@ run: --preemptions 1
//@ verdict: violations
//@ assertion: check
//@ run: -DAPART --preemptions none
//@ verdict: clean
#include <assert.h>
#include <pthread.h>

struct {
    unsigned char left : 4;
#ifdef APART
    unsigned char : 0;
#endif
    unsigned char right : 4;
} fields;

static void *set_left(void *unused) {
    fields.left = 3;
    return unused;
}

static void *set_right(void *unused) {
    fields.right = 5;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, set_left, NULL);
    pthread_create(&threads[1], NULL, set_right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(fields.left == 3 && fields.right == 5); // @check
    return 0;
}
