//@ why: A normal mutex: see each run. POSIX says that who locks it twice waits for ever, and that
//@      who unlocks it without holding it has no right to; destroying one that is held has none
//@      either. A misuse names the operation on the mutex before it, too.
//@ run: -DMISUSE=0 --preemptions none
//@ verdict: clean
//@ run: -DMISUSE=1
//@ verdict: violations
//@ deadlock: lock again join
//@ run: -DMISUSE=2
//@ verdict: violations
//@ misuse: unlock
//@ run: -DMISUSE=3
//@ verdict: violations
//@ misuse: foreign-unlock main-lock
//@ run: -DMISUSE=4
//@ verdict: violations
//@ misuse: destroy lock
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void *body(void *unused) {
#if MISUSE == 2
    pthread_mutex_unlock(&lock); // @unlock
#elif MISUSE == 3
    // Main holds it.
    pthread_mutex_unlock(&lock); // @foreign-unlock
#else
    pthread_mutex_lock(&lock); // @lock
    counter++;
#if MISUSE == 1
    pthread_mutex_lock(&lock); // @again
#elif MISUSE == 4
    pthread_mutex_destroy(&lock); // @destroy
#endif
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
#if MISUSE == 3
    pthread_mutex_lock(&lock); // @main-lock
#endif
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL); // @join
    return 0;
}
