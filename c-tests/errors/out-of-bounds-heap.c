//@ why: A block has the bytes that it was allocated with, and no others: the byte behind
//@      the last and the byte before the first belong to none, even where rounding leaves room,
//@      and even where a longer block was there in another execution (which of the two is made
//@      is a choice). A wider access that begins inside and ends outside is out of bounds as
//@      well.
//@ run: -DAT=12 --preemptions none
//@ verdict: violations
//@ out-of-bounds: access short
//@ run: -DAT=11 --preemptions none
//@ verdict: clean
//@ run: -DAT=-1 --preemptions none
//@ verdict: violations
//@ out-of-bounds: access short, access long
//@ run: -DAT=9 -DWIDE --preemptions none
//@ verdict: violations
//@ out-of-bounds: access short
//@ run: -DAT=8 -DWIDE --preemptions none
//@ verdict: clean
//@ run: -DAT=100 --preemptions none
//@ verdict: violations
//@ out-of-bounds: access short, access long
#include <fencehound.h>
#include <stdlib.h>

#ifdef WIDE
#define TYPE int
#else
#define TYPE char
#endif

int main(void) {
    char *volatile block;
    if (fh_choose(2))
        block = malloc(12); // @short
    else
        block = malloc(16);    // @long
    *(TYPE *)(block + AT) = 1; // @access
    free(block);
    return 0;
}
