/* A worker sleeps until there is work.
 *
 * -DREPAIRED looks for work and falls asleep under one lock.
 */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool there_is_work;

static void *worker(void *unused) {
#ifdef REPAIRED
    pthread_mutex_lock(&mutex);
    while (!there_is_work)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
#else
    pthread_mutex_lock(&mutex);
    bool sleeps = !there_is_work;
    pthread_mutex_unlock(&mutex);
    if (sleeps) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
    }
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&mutex);
    there_is_work = true;
    pthread_mutex_unlock(&mutex);
    pthread_cond_signal(&changed);
    pthread_join(thread, NULL);
    return 0;
}
