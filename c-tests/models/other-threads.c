//@ why: Execution graphs run each thread alone, so they do not know how far another one is: what
//@      asks for that, or changes it, is refused where it is called. It is no error of the program.
//@ verdict: unsupported
//@ run: -DCANCEL --model tso
//@ unsupported: cancel pthread_cancel under --model tso
//@ run: -DTRY --model pso
//@ unsupported: try pthread_tryjoin_np under --model pso
//@ run: -DLIMIT --model tso
//@ unsupported: limit pthread_timedjoin_np under --model tso
//@ run: -DNAME --model tso
//@ unsupported: name the name of another thread under --model tso
//@ run: --model tso
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *thread(void *unused) {
    char name[16];
    assert(pthread_setname_np(pthread_self(), "mine") == 0);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && !strcmp(name, "mine"));
    return unused;
}

int main(void) {
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
#if defined CANCEL
    assert(pthread_cancel(id) == 0); // @cancel
#elif defined TRY
    if (pthread_tryjoin_np(id, NULL) == 0) // @try
        return 0;
#elif defined LIMIT
    struct timespec soon = {1, 0};
    if (pthread_timedjoin_np(id, NULL, &soon) == 0) // @limit
        return 0;
#elif defined NAME
    assert(pthread_setname_np(id, "another") == 0); // @name
#endif
    pthread_join(id, NULL);
    return 0;
}
