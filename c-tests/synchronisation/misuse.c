//@ why: POSIX.1-2017 leaves each of these undefined; the report names the call and the
//@      operation on the object before it.
//@ verdict: violations
//@ run: -DUNLOCK
//@ misuse: unlock init
//@ run: -DUNLOCK_OF_ANOTHER
//@ misuse: unlock-other lock-first
//@ run: -DDESTROY_LOCKED
//@ misuse: destroy lock-held
//@ run: -DUSE_DESTROYED
//@ misuse: lock-dead destroy-first
//@ run: -DINITIALISE_TWICE
//@ misuse: init-again init
//@ run: -DNEVER_INITIALISED
//@ misuse: wait-nothing
//@ run: -DWAIT_UNLOCKED
//@ misuse: wait-unlocked init
//@ run: -DWAIT_WITH_ANOTHER
//@ misuse: wait sleep, sleep wait
//@ run: -DDESTROY_WAITED_FOR
//@ misuse: destroy-condition sleep, sleep destroy-condition
//@ run: -DUNLOCK_READ_WRITE
//@ misuse: unlock-rw first-unlock-rw
//@ run: -DDESTROY_READ_WRITE
//@ misuse: destroy-rw lock-rw
//@ run: -DSPIN
//@ misuse: unlock-spin init-spin
//@ run: -DBARRIER
//@ misuse: init-barrier-again init-barrier
//@ run: -DJOIN_TWICE
//@ misuse: join-again
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

pthread_mutex_t mutex, another = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t barrier;
pthread_spinlock_t spin;

static void *body(void *unused) {
#ifdef UNLOCK_OF_ANOTHER
    pthread_mutex_unlock(&mutex); // @unlock-other
#elif defined WAIT_WITH_ANOTHER || defined DESTROY_WAITED_FOR
    pthread_mutex_lock(&another);
    pthread_cond_wait(&condition, &another); // @sleep
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&mutex, NULL); // @init
#if defined UNLOCK
    pthread_mutex_unlock(&mutex); // @unlock
#elif defined UNLOCK_OF_ANOTHER
    pthread_mutex_lock(&mutex); // @lock-first
#elif defined DESTROY_LOCKED
    pthread_mutex_lock(&mutex);    // @lock-held
    pthread_mutex_destroy(&mutex); // @destroy
#elif defined USE_DESTROYED
    pthread_mutex_destroy(&mutex); // @destroy-first
    pthread_mutex_lock(&mutex);    // @lock-dead
#elif defined INITIALISE_TWICE
    pthread_mutex_init(&mutex, NULL); // @init-again
#elif defined NEVER_INITIALISED
    sem_t *semaphore = malloc(sizeof *semaphore);
    sem_wait(semaphore); // @wait-nothing
#elif defined WAIT_UNLOCKED
    pthread_cond_wait(&condition, &mutex); // @wait-unlocked
#elif defined UNLOCK_READ_WRITE
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock); // @first-unlock-rw
    pthread_rwlock_unlock(&lock); // @unlock-rw
#elif defined DESTROY_READ_WRITE
    pthread_rwlock_rdlock(&lock);  // @lock-rw
    pthread_rwlock_destroy(&lock); // @destroy-rw
#elif defined SPIN
    pthread_spin_init(&spin, 0); // @init-spin
    pthread_spin_unlock(&spin);  // @unlock-spin
#elif defined BARRIER
    pthread_barrier_init(&barrier, NULL, 2); // @init-barrier
    pthread_barrier_init(&barrier, NULL, 2); // @init-barrier-again
#endif
    pthread_create(&thread, NULL, body, NULL);
#ifdef WAIT_WITH_ANOTHER
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex); // @wait
#elif defined DESTROY_WAITED_FOR
    pthread_mutex_lock(&another);
    pthread_mutex_unlock(&another);
    pthread_cond_destroy(&condition); // @destroy-condition
    return 0;
#endif
    pthread_join(thread, NULL);
#ifdef JOIN_TWICE
    pthread_join(thread, NULL); // @join-again
#endif
    return 0;
}
