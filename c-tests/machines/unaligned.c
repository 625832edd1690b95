//@ why: A store across the boundary of eight bytes waits as one. Store buffering and message
//@      passing: TSO lets a load overtake what its thread has stored, PSO lets stores overtake
//@      each other, and a full fence between the two forbids both. Neither happens in an
//@      interleaving.
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

struct __attribute__((packed)) odd {
    char before[6];
    int word;
    char after[6];
};

_Alignas(16) static struct odd odds[2];

static void put(int which) { odds[which].word = 1; }

static int get(int which) { return odds[which].word; }

static void *body(void *side) {
    ((void (*)(void))side)();
    return 0;
}

int main(void) {
    int relaxed = cross(body);
    assert(!relaxed); // @relaxed
}
