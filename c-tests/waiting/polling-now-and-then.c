//@ why: A loop that waits as real ones do: some rounds of spinning, then a sleep by poll or
//@      select of no descriptors, and the counter begins anew. What it does comes back after
//@      ten rounds, so the search must end by itself, and nothing be found.
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DSELECT --preemptions none
//@ verdict: clean
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/select.h>

#define ROUNDS_BEFORE_SLEEP 10

static volatile int done;

static inline void back_off(int *attempts) {
    if (++*attempts < ROUNDS_BEFORE_SLEEP) {
        __asm__ volatile("rep; nop" ::: "memory");
        return;
    }
#ifdef SELECT
    struct timeval limit = {.tv_usec = 10000};
    select(0, NULL, NULL, NULL, &limit);
#else
    poll(NULL, 0, 10);
#endif
    *attempts = 0;
}

static void *finish(void *unused) {
    done = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, finish, NULL);
    int attempts = 0;
    while (!done)
        back_off(&attempts);
    pthread_join(thread, NULL);
    return 0;
}
