/* A writer changes two variables twice under a sequence lock; a reader sees both changes or
 * neither. */
#include <assert.h>
#include <ck_sequence.h>
#include <pthread.h>

static ck_sequence_t lock = CK_SEQUENCE_INITIALIZER;
static int first, second;

static void *writer(void *unused) {
    for (int i = 1; i <= 2; i++) {
        ck_sequence_write_begin(&lock);
        ck_pr_store_int(&first, i);
        ck_pr_store_int(&second, i);
        ck_sequence_write_end(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    unsigned int version;
    int one, two;
    do {
        version = ck_sequence_read_begin(&lock);
        one = ck_pr_load_int(&first);
        two = ck_pr_load_int(&second);
    } while (ck_sequence_read_retry(&lock, version));
    assert(one == two);
    pthread_join(thread, 0);
}
