/* A writer and a reader: nobody sees half of a change. */
#include <assert.h>
#include <ck_bytelock.h>
#include <pthread.h>

static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
static int first, second;

static void *writer(void *unused) {
    ck_bytelock_write_lock(&lock, 1);
    first = 1;
    second = 1;
    ck_bytelock_write_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    ck_bytelock_read_lock(&lock, 2);
    assert(first == second);
    ck_bytelock_read_unlock(&lock, 2);
    pthread_join(thread, 0);
}
