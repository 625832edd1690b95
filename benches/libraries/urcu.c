/* What a reader has found is freed after a grace period, and not while it is read. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#define _LGPL_SOURCE
#include <urcu.h>

struct thing {
    int value;
};
static struct thing *current;

static void *reader(void *unused) {
    rcu_register_thread();
    rcu_read_lock();
    struct thing *seen = rcu_dereference(current);
    assert(seen->value == 1 || seen->value == 2);
    rcu_read_unlock();
    rcu_unregister_thread();
    return unused;
}

int main(void) {
    struct thing *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    first->value = 1;
    second->value = 2;
    current = first;
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    rcu_assign_pointer(current, second);
    synchronize_rcu();
    free(first);
    pthread_join(thread, 0);
    free(second);
}
