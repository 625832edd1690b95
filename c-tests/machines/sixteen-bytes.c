//@ why: An atomic store of sixteen bytes that orders nothing waits as one. Store buffering and
//@      message passing: TSO lets a load overtake what its thread has stored, PSO lets stores
//@      overtake each other, and a full fence between the two forbids both. Neither happens in
//@      an interleaving.
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

struct pair {
    long first, second;
};

static _Atomic struct pair pairs[2];

static void put(int which) {
    atomic_store_explicit(&pairs[which], ((struct pair){1, 1}), memory_order_relaxed);
}

static int get(int which) {
    struct pair pair = atomic_load_explicit(&pairs[which], memory_order_relaxed);
    return pair.first && pair.second;
}

static void *body(void *side) {
    ((void (*)(void))side)();
    return 0;
}

int main(void) {
    int relaxed = cross(body);
    assert(!relaxed); // @relaxed
}
