//@ why: Each thread waits for the other's flag before it sets its own: whatever the schedule, both
//@      wait for ever, and main waits for the first of them. Setting first helps.
//@ run: --preemptions none
//@ verdict: violations
//@ livelock: left right join
//@ run: -DSET_FIRST --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>

atomic_int left_is_there, right_is_there;

static void *left(void *unused) {
#ifdef SET_FIRST
    left_is_there = 1;
#endif
    while (!right_is_there) // @left
        ;
    left_is_there = 1;
    return unused;
}

static void *right(void *unused) {
#ifdef SET_FIRST
    right_is_there = 1;
#endif
    while (!left_is_there) // @right
        ;
    right_is_there = 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL); // @join
    pthread_join(threads[1], NULL);
    return 0;
}
