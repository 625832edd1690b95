//@ why: A destructor of thread-specific data runs on its thread's own buffer, and the end of
//@      the thread does not empty it: only who joins the thread knows that its stores are
//@      there. Store buffering and message passing: TSO lets a load overtake what its thread
//@      has stored, PSO lets stores overtake each other, and a full fence between the two
//@      forbids both. Neither happens in an interleaving.
//@ run: --model tso --explorer bounded
//@ verdict: violations
//@ assertion: relaxed
//@ run: -DFENCED --model tso --explorer bounded
//@ verdict: clean
//@ run: -DPASSING --model pso --explorer bounded
//@ verdict: violations
//@ assertion: relaxed
//@ run: -DPASSING -DFENCED --model pso --explorer bounded
//@ verdict: clean
//@ run: -DPASSING --model tso --explorer bounded
//@ verdict: clean
//@ run: --model tso --explorer dpor
//@ verdict: violations
//@ assertion: relaxed
//@ run: -DFENCED --model tso --explorer dpor
//@ verdict: clean
//@ run: -DPASSING --model pso --explorer dpor
//@ verdict: violations
//@ assertion: relaxed
//@ run: -DPASSING -DFENCED --model pso --explorer dpor
//@ verdict: clean
//@ run: -DPASSING --model tso --explorer dpor
//@ verdict: clean
#include "crossing.h"

static int words[2];

static void put(int which) { words[which] = 1; }

static int get(int which) { return words[which]; }

static pthread_key_t key;

static void destructor(void *run) { ((void (*)(void))run)(); }

static void *body(void *run) {
    pthread_setspecific(key, run);
    return 0;
}

int main(void) {
    pthread_key_create(&key, destructor);
    int relaxed = cross(body);
    assert(!relaxed); // @relaxed
}
