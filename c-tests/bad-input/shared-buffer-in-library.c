//@ why: A library function that nothing is known about may do anything to the shared memory it is
//@      given, unseen. It is refused by name and line; given memory of the thread alone, or memory
//@      that no other thread can see yet, it is only listed.
//@ uninstrumented: getrandom
//@ run: -DBUFFER=shared
//@ verdict: unsupported
//@ unsupported: call getrandom
//@ run: -DBUFFER=mine
//@ verdict: clean
//@ run: -DBUFFER=shared -DALONE
//@ verdict: clean
#include <pthread.h>
#include <sys/random.h>

char shared[8];

static void *body(void *unused) {
    char mine[8];
    ssize_t got = getrandom(BUFFER, 8, 0); // @call
    (void)mine;
    return got == 8 ? unused : shared;
}

int main(void) {
#ifdef ALONE
    body(NULL);
#else
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
#endif
    return 0;
}
