//@ why: A library function that nothing is known about may do anything to the shared memory it is
//@      given, unseen. It is refused by name and line; given memory of the thread alone, or memory
//@      that no other thread can see yet, it is only listed.
//@ uninstrumented: gethostname
//@ run: -DBUFFER=shared
//@ verdict: unsupported
//@ unsupported: call gethostname
//@ run: -DBUFFER=mine
//@ verdict: clean
//@ run: -DBUFFER=shared -DALONE
//@ verdict: clean
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

char shared[8];

static void *body(void *unused) {
    char mine[8];
    int failed = gethostname(BUFFER, 8); // @call
    (void)mine;
    return failed ? shared : unused;
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
