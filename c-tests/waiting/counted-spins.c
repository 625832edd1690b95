//@ why: A loop that gives up after three looks is no wait loop: each look is another state, since
//@      the count of looks differs. So the reader may see the flag at the first, second or third
//@      look or never, and each number is found, as the failure of the assertion that denies it.
//@ run: --preemptions none
//@ verdict: violations
//@ assertion: once, twice, thrice, never
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;

static void *body(void *unused) {
    int looks = 0;
    while (looks < 3 && !flag)
        looks++;
    assert(looks != 0); // @once
    assert(looks != 1); // @twice
    assert(looks != 2); // @thrice
    assert(looks != 3); // @never
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    flag = 1;
    pthread_join(thread, NULL);
    return 0;
}
