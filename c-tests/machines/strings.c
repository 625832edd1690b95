//@ why: What strcpy stores waits in the store buffer, and strlen reads through the buffer.
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

static char texts[2][8];

static void put(int which) {
    strcpy(texts[which], "abc");
    assert(strlen(texts[which]) == 3);
}

static int get(int which) { return strlen(texts[which]) == 3; }

static void *body(void *side) {
    ((void (*)(void))side)();
    return 0;
}

int main(void) {
    int relaxed = cross(body);
    assert(!relaxed); // @relaxed
}
