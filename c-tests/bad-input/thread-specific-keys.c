//@ why: All fibers share one OS thread, so libc's keys would be one for all of them.
//@ run:
//@ verdict: unsupported
//@ unsupported: create pthread_key_create
#include <pthread.h>
#include <stddef.h>

int main(void) {
    pthread_key_t key;
    return pthread_key_create(&key, NULL); // @create
}
