//@ why: Two threads take two mutexes in opposite orders. Either of them takes both
//@      first, or each takes one: three graphs, in one of which nobody goes on.
//@ run: --model tso
//@ verdict: violations
//@ executions: 3
//@ deadlock: join left right
//@ run: --model power
//@ verdict: violations
//@ executions: 3
//@ deadlock: join left right
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *left(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); // @left
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *right(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); // @right
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, left, 0);
    pthread_create(&other, 0, right, 0);
    pthread_join(one, 0); // @join
    pthread_join(other, 0);
}
