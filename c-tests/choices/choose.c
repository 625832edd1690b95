//@ why: Every value of fh_choose is explored once; with several choices, every combination.
//@ run: -DFIRST=3 -DSECOND=4
//@ verdict: clean
//@ executions: 12
//@ run: -DFIRST=3 -DSECOND=4 -DBAD=7
//@ why: The combination is found in which 4 times the one and the other make 7: 1 and 3.
//@ verdict: violations
//@ executions: 12
//@ assertion: check
//@ run: -DFIRST=1 -DSECOND=1
//@ verdict: clean
//@ executions: 1
#include <fencehound.h>

#ifndef BAD
#define BAD 1000
#endif

int main(void) {
    unsigned long first = fh_choose(FIRST);
    unsigned long second = fh_choose(SECOND);
    fh_assert(first < FIRST && second < SECOND);
    fh_assert(4 * first + second != BAD); // @check
    return 0;
}
