//@ why: Two producers put an item into a buffer, each in a transaction: they look how many there
//@      are, put theirs behind, and count it. If both look before either of them counts, each
//@      look comes before the other's count. Whoever puts last comes behind the other; if it
//@      counts first, so does the other's count. A transaction stores only behind its loads, so
//@      under TSO nothing else happens. With a lock and a condition variable, the wait in front
//@      of the transaction, and a consumer, each transaction is held by the lock as a whole.
//@ run: --monitor sc-atomicity,tso-atomicity
//@ verdict: violations
//@ sc-atomicity: look -> count & put -> put, put -> put & count -> count
//@ tso-atomicity: look -> count & put -> put, put -> put & count -> count
//@ run: --monitor sc-atomicity,tso-atomicity --explorer dpor
//@ verdict: violations
//@ sc-atomicity: look -> count & put -> put, put -> put & count -> count
//@ tso-atomicity: look -> count & put -> put, put -> put & count -> count
//@ run: -DREPAIRED --monitor sc-atomicity,tso-atomicity
//@ verdict: clean
//@ run: -DREPAIRED --monitor sc-atomicity,tso-atomicity --explorer dpor
//@ verdict: clean

#include <fencehound.h>
#include <pthread.h>

#define SIZE 1

static int slots[SIZE], items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void wait_while_there_are(int some) {
    pthread_mutex_lock(&lock);
    while (items == some)
        pthread_cond_wait(&changed, &lock);
}

static void *produces(void *item) {
#ifdef REPAIRED
    wait_while_there_are(SIZE);
#endif
    fh_atomic_begin();
    int known = items; // @look
    if (known < SIZE) {
        slots[known] = (int)(long)item; // @put
        items = known + 1;              // @count
    }
    fh_atomic_end();
#ifdef REPAIRED
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}

static int consume(void) {
    wait_while_there_are(0);
    fh_atomic_begin();
    int item = slots[--items];
    fh_atomic_end();
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return item;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, produces, (void *)1);
    pthread_create(&threads[1], 0, produces, (void *)2);
#ifdef REPAIRED
    fh_assert(consume() + consume() == 3);
#endif
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    (void)consume;
    return 0;
}
