//@ why: Each execution begins with the same state of each generator. The numbers are glibc's own:
//@      this program, compiled by any compiler and linked with glibc, passes its assertions. Those
//@      of drand48 and its sisters follow from POSIX's formula, X * 0x5deece66d + 11 modulo 2^48.
//@ run: --preemptions none
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

unsigned seed = 1;
unsigned short state[3] = {1, 2, 3};
int steps;

static void *body(void *unused) {
    steps++;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    assert(rand() == 1804289383 && rand() == 846930886 && random() == 1681692777);
    srand(42);
    assert(rand() == 71876166 && rand() == 708592740);
    srandom(0);
    assert(random() == 1804289383);
    srand(4000000000u);
    assert(rand() == 1111130805);
    assert(rand_r(&seed) == 476707713 && rand_r(&seed) == 1186278907);
    unsigned mine = 1;
    assert(rand_r(&mine) == 476707713);
    unsigned long x = 0;
    srand48(5);
    x = (5ul << 16 | 0x330e) * 0x5deece66dul + 11;
    assert(lrand48() == (long)((x & 0xffffffffffff) >> 17));
    x = x * 0x5deece66dul + 11;
    assert(drand48() == (double)(x & 0xffffffffffff) / (double)(1ul << 48));
    x = x * 0x5deece66dul + 11;
    assert(mrand48() == (int)((x & 0xffffffffffff) >> 16));
    x = (3ul << 32 | 2ul << 16 | 1) * 0x5deece66dul + 11;
    assert(nrand48(state) == (long)((x & 0xffffffffffff) >> 17));
    assert(state[0] == (x & 0xffff) && state[2] == (x >> 32 & 0xffff));
    pthread_join(thread, NULL);
    return 0;
}
