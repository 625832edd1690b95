/* A writer and two readers: nobody sees half of a change. */
#include <assert.h>
#include <ck_rwlock.h>
#include <pthread.h>

static ck_rwlock_t lock = CK_RWLOCK_INITIALIZER;
static int first, second;

static void *writer(void *unused) {
    ck_rwlock_write_lock(&lock);
    first = 1;
    second = 1;
    ck_rwlock_write_unlock(&lock);
    return unused;
}

static void *reader(void *unused) {
    ck_rwlock_read_lock(&lock);
    assert(first == second);
    ck_rwlock_read_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, writer, 0);
    pthread_create(&threads[1], 0, reader, 0);
    pthread_create(&threads[2], 0, reader, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
