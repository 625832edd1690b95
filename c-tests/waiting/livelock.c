//@ why: A thread waits for a flag that the other one sets only if it has not been told to stop.
//@      Told in time, it never sets it: nobody can end the wait any more, and main waits for the
//@      thread.
//@ run: --preemptions none
//@ verdict: violations
//@ livelock: wait join
//@ run: -DALWAYS --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>

atomic_int stop, flag;

static void *waiter(void *unused) {
    stop = 1;
    while (!flag) // @wait
        ;
    return unused;
}

static void *setter(void *unused) {
#ifdef ALWAYS
    flag = 1;
#else
    if (!stop)
        flag = 1;
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, setter, NULL);
    pthread_join(threads[0], NULL); // @join
    pthread_join(threads[1], NULL);
    return 0;
}
