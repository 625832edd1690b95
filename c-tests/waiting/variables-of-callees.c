//@ why: Each round of the wait calls functions whose variables others could see, as their addresses
//@      go to further functions. A round ends with all of them gone, and the next one makes them
//@      anew, whatever is left of them on the stack: it changes nothing. So both threads wait, and
//@      the search ends by itself. With NOBODY nobody puts anything, and the wait has no end.
//@ run: --preemptions none
//@ verdict: clean
//@ run: -DNOBODY --preemptions none
//@ verdict: violations
//@ livelock: ready join
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct message {
    int kind;
    int text[3];
};

atomic_int ready;

static void look(struct message *message, int *kind) {
    *kind = atomic_load(&ready); // @ready
    message->kind = *kind;
    message->text[*kind] = *kind;
}

static bool try_get(int *value) {
    struct message message;
    int kind;
    look(&message, &kind);
    if (!kind)
        return false;
    *value = message.text[kind];
    return true;
}

// Leaves other bytes on the stack in each of the first rounds.
static void dirty(int round) {
    volatile int rubbish[32];
    for (int i = 0; i < 32; i++)
        rubbish[i] = round * i;
}

static void *get(void *unused) {
    int value;
    for (int round = 0; !try_get(&value); round = (round + 1) % 3)
        dirty(round);
    assert(value == 1);
    return unused;
}

static void *put(void *unused) {
#ifndef NOBODY
    atomic_store(&ready, 1);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, get, NULL);
    pthread_create(&threads[1], NULL, put, NULL);
    pthread_join(threads[0], NULL); // @join
    pthread_join(threads[1], NULL);
    return 0;
}
