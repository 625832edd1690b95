//@ why: A store of four bytes waits as one, and a load of one of them looks through the buffer
//@      for that byte, so widths may be mixed. Store buffering and message passing: TSO lets a
//@      load overtake what its thread has stored, PSO lets stores overtake each other, and a
//@      full fence between the two forbids both. Neither happens in an interleaving.
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

static union {
    unsigned word;
    unsigned char bytes[4];
} mixed[2];

static void put(int which) { mixed[which].word = 0x01010101; }

static int get(int which) { return mixed[which].bytes[3]; }

static void *body(void *side) {
    ((void (*)(void))side)();
    return 0;
}

int main(void) {
    int relaxed = cross(body);
    assert(!relaxed); // @relaxed
}
