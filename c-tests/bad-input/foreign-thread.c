//@ why: A library may start OS threads of its own, as dlsym lets this program do. What they run is
//@      not under control: the first hook on such a thread, whatever it is for, ends the check.
//@ uninstrumented: dlsym
//@ run:
//@ verdict: unsupported
//@ unsupported: store a thread that a library started by itself
//@ run: -DALLOCATES
//@ verdict: unsupported
//@ unsupported: allocation a thread that a library started by itself
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int join_function(pthread_t, void **);
typedef int sleep_function(unsigned microseconds);

volatile int shared;

static void *body(void *sleep) {
#ifdef ALLOCATES
    // The place of a call is kept for all threads: by now main has come to its last one.
    ((sleep_function *)sleep)(100000);
    free(malloc(8)); // @allocation
#endif
    shared = 1; // @store
    return NULL;
}

int main(void) {
    create_function *create = (create_function *)dlsym(RTLD_DEFAULT, "pthread_create");
    pthread_t thread;
    create(&thread, NULL, body, dlsym(RTLD_DEFAULT, "usleep"));
    join_function *join = (join_function *)dlsym(RTLD_DEFAULT, "pthread_join");
    join(thread, NULL);
    return 0;
}
