//@ why: Each of these objects begins and ends properly, or is one of a new life in the memory of an
//@      old one: a local variable of a function that is called again, a block that was freed.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 1
//@ run: -DWRITERS_FIRST
//@ verdict: unsupported
//@ unsupported: writers PTHREAD_RWLOCK_WRITER_NONRECURSIVE
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

pthread_mutex_t global;

static void locals(void) {
    pthread_mutex_t initialised, is_static = PTHREAD_MUTEX_INITIALIZER;
    sem_t semaphore;
    pthread_mutex_init(&initialised, NULL);
    pthread_mutex_lock(&initialised);
    pthread_mutex_unlock(&initialised);
    pthread_mutex_lock(&is_static);
    pthread_mutex_unlock(&is_static);
    pthread_mutex_destroy(&is_static);
    sem_init(&semaphore, 0, 1);
    sem_wait(&semaphore);
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        locals();
        pthread_mutex_init(&global, NULL);
        pthread_mutex_lock(&global);
        pthread_mutex_unlock(&global);
        pthread_mutex_destroy(&global);
        pthread_mutex_t *block = calloc(1, sizeof *block);
        pthread_mutex_lock(block);
        free(block);
        block = malloc(sizeof *block);
        pthread_mutex_init(block, NULL);
        pthread_mutex_lock(block);
        free(block);
    }
#ifdef WRITERS_FIRST
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    pthread_rwlock_rdlock(&lock); // @writers
#endif
    return 0;
}
