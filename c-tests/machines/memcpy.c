//@ why: What memcpy stores waits in the store buffer, piece by piece, as any other store does.
//@      Store buffering and message passing: TSO lets a load overtake what its thread has
//@      stored, PSO lets stores overtake each other, and a full fence between the two forbids
//@      both. Neither happens in an interleaving.
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
#include <string.h>

struct block {
    int words[3];
};

static const struct block full = {{1, 1, 1}};
static struct block blocks[2];

static void put(int which) { memcpy(&blocks[which], &full, sizeof full); }

static int get(int which) {
    struct block copy;
    memcpy(&copy, &blocks[which], sizeof copy);
    return copy.words[2];
}

static void *body(void *side) {
    ((void (*)(void))side)();
    return 0;
}

int main(void) {
    int relaxed = cross(body);
    assert(!relaxed); // @relaxed
}
