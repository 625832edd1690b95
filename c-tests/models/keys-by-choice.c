//@ why: Which of two keys is made first is chosen, and each has a destructor of its own,
//@      which runs as the thread ends: it is the one of the key that was made. Graphs run each
//@      thread alone, and must not take one key for the other.
//@ verdict: clean
//@ executions: 2
//@ outcomes: main: 0 1 | main: 1 2
//@ run: --explorer dpor
//@ run: --explorer rsmc
//@ run: --model tso
//@ run: --model pso
#include <fencehound.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_key_t one, other;
static atomic_int ended;

static void end_one(void *value) { ended += (int)(long)value; }

static void end_other(void *value) { ended += 2 * (int)(long)value; }

static void *set(void *key) {
    pthread_setspecific(*(pthread_key_t *)key, (void *)1);
    return NULL;
}

int main(void) {
    int choice = (int)fh_choose(2);
    pthread_key_t *key = choice ? &other : &one;
    if (choice)
        pthread_key_create(&other, end_other);
    else
        pthread_key_create(&one, end_one);
    pthread_t thread;
    pthread_create(&thread, NULL, set, key);
    pthread_join(thread, NULL);
    fh_observe(choice);
    fh_observe(ended);
    return 0;
}
