//@ why: Results of rounds that are no longer waited for, and matter: a function hands them to
//@      variables of its caller. LATER reads behind the loop what the last round has left, if there
//@      was one: any of the three values of the word, or none. PARTS are overwritten in part only:
//@      two rounds together make what one of them does not. The address of the variable of SHARED
//@      is known to another thread, which sees what a round leaves.
//@ verdict: violations
//@ run: -DLATER --explorer dpor
//@ assertion: none, zero, one, two
//@ run: -DLATER --model tso
//@ assertion: none, zero, one, two
//@ run: -DLATER --model armv8
//@ assertion: none, zero, one, two
//@ run: -DPARTS --explorer dpor
//@ assertion: both
//@ run: -DPARTS --model tso
//@ assertion: both
//@ run: -DPARTS --model power
//@ assertion: both
//@ run: -DSHARED --explorer dpor
//@ assertion: left
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int word, done;

struct parts {
    short low, high;
};

static bool look(int *seen) {
    if (atomic_load(&done))
        return false;
    *seen = atomic_load(&word);
    return true;
}

static void collect(struct parts *into) {
    while (!atomic_load(&done)) {
        int seen = atomic_load(&word);
        if (seen == 1)
            into->low = 1;
        if (seen == 2)
            into->high = 1;
    }
}

static void *writer(void *unused) {
    atomic_store(&word, 1);
    atomic_store(&word, 2);
    atomic_store(&done, 1);
    return unused;
}

static void *peer(void *lent) {
    int seen = __atomic_load_n((int *)lent, __ATOMIC_RELAXED);
    assert(seen != 1); // @left
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int seen = -1;
    struct parts parts = {0, 0};
    pthread_create(&threads[0], NULL, writer, NULL);
#ifdef SHARED
    pthread_create(&threads[1], NULL, peer, &seen);
#endif
#ifdef PARTS
    collect(&parts);
    assert(!(parts.low && parts.high)); // @both
#else
    while (look(&seen))
        ;
    (void)parts;
#endif
#ifdef LATER
    assert(seen != -1); // @none
    assert(seen != 0);  // @zero
    assert(seen != 1);  // @one
    assert(seen != 2);  // @two
#endif
    pthread_join(threads[0], NULL);
#ifdef SHARED
    pthread_join(threads[1], NULL);
#endif
}
