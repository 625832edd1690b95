//@ why: What synchronisation means in a transaction. A lock that is released and taken
//@      again inside of one: the other thread can take it in between, and each of its two
//@      operations is a transaction of its own. A lock that is held all the time: nobody can. A
//@      thread that is created and joined in a transaction comes between the two. A
//@      read-modify-write reads and writes in one step, so nothing comes between; two of them
//@      are two steps. A wait on a condition variable lets others in: the transaction begins
//@      behind it in the last program.
//@ run: --monitor sc-atomicity -DRETAKEN
//@ verdict: violations
//@ sc-atomicity: release -> take & take -> give & give -> retake
//@ run: --monitor sc-atomicity -DHELD
//@ verdict: clean
//@ run: --monitor sc-atomicity -DCREATED
//@ verdict: violations
//@ sc-atomicity: create -> work & work -> join
//@ run: --monitor sc-atomicity,tso-atomicity -DONE_RMW
//@ verdict: clean
//@ run: --monitor sc-atomicity,tso-atomicity -DTWO_RMW
//@ verdict: violations
//@ sc-atomicity: first -> rmw & rmw -> second
//@ tso-atomicity: first -> rmw & rmw -> second
//@ run: --monitor sc-atomicity -DAFTER_WAIT
//@ verdict: clean

#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined RETAKEN || defined HELD

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *works(void *unused) {
    fh_atomic_begin();
    pthread_mutex_lock(&lock);
#ifdef RETAKEN
    pthread_mutex_unlock(&lock); // @release
    pthread_mutex_lock(&lock);   // @retake
#endif
    pthread_mutex_unlock(&lock);
    fh_atomic_end();
    return unused;
}

static void *others(void *unused) {
    pthread_mutex_lock(&lock);   // @take
    pthread_mutex_unlock(&lock); // @give
    return unused;
}

#elif defined CREATED

static int x;

static void *child(void *unused) {
    x = 1; // @work
    return unused;
}

static void *works(void *unused) {
    pthread_t thread;
    fh_atomic_begin();
    pthread_create(&thread, 0, child, 0); // @create
    pthread_join(thread, 0);              // @join
    fh_atomic_end();
    return unused;
}

static void *others(void *unused) { return unused; }

#elif defined ONE_RMW || defined TWO_RMW

static atomic_int x;

static void *works(void *unused) {
    fh_atomic_begin();
    atomic_fetch_add(&x, 1); // @first
#ifdef TWO_RMW
    atomic_fetch_add(&x, 1); // @second
#endif
    fh_atomic_end();
    return unused;
}

static void *others(void *unused) {
    atomic_fetch_add(&x, 10); // @rmw
    return unused;
}

#else

static int ready, value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_ready = PTHREAD_COND_INITIALIZER;

static void *works(void *unused) {
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&is_ready, &lock);
    fh_atomic_begin();
    value++;
    ready = 0;
    fh_atomic_end();
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *others(void *unused) {
    pthread_mutex_lock(&lock);
    fh_atomic_begin();
    value = 5;
    ready = 1;
    pthread_cond_signal(&is_ready);
    fh_atomic_end();
    pthread_mutex_unlock(&lock);
    return unused;
}

#endif

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, works, 0);
    pthread_create(&other, 0, others, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
