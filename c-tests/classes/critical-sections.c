//@ why: THREADS threads take a mutex, a semaphore of one or a read-write lock for writing, and give
//@      it back: THREADS! orders, and no execution in which anybody waits in vain. Threads that
//@      meet at a barrier arrive in THREADS! orders, and leave it in one.
//@ verdict: clean
//@ run: -DTHREADS=4 -DHOW=MUTEX --explorer dpor
//@ executions: 24
//@ run: -DTHREADS=4 -DHOW=SEMAPHORE --explorer dpor
//@ executions: 24
//@ run: -DTHREADS=4 -DHOW=WRITING --explorer dpor
//@ executions: 24
//@ run: -DTHREADS=4 -DHOW=MEETING --explorer dpor
//@ executions: 24
#include <pthread.h>
#include <semaphore.h>

enum { MUTEX, SEMAPHORE, WRITING, MEETING };

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t barrier;
sem_t semaphore;

static void *body(void *unused) {
    switch (HOW) {
    case MUTEX:
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        break;
    case SEMAPHORE:
        sem_wait(&semaphore);
        sem_post(&semaphore);
        break;
    case WRITING:
        pthread_rwlock_wrlock(&lock);
        pthread_rwlock_unlock(&lock);
        break;
    default:
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    sem_init(&semaphore, 0, 1);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, body, NULL);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
