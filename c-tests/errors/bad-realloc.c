//@ why: realloc frees the block that it is given, so it may be given what free may: not a
//@      block that was freed before, by whatever function, nor the middle of one. What is left
//@      of the old block cannot be used, and a request that fails leaves it as it was.
//@ run: -DUSE=0
//@ verdict: clean
//@ run: -DUSE=1
//@ verdict: violations
//@ double-free: again moved allocation
//@ run: -DUSE=2
//@ verdict: violations
//@ invalid-free: middle allocation
//@ run: -DUSE=3
//@ verdict: violations
//@ use-after-free: old moved allocation
//@ run: -DUSE=4
//@ verdict: violations
//@ double-free: once-more freed growth
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *volatile block = malloc(8); // @allocation
    block[0] = 5;
    if (USE == 2)
        block = realloc(block + 1, 16); // @middle
    assert(realloc(block, SIZE_MAX / 2) == NULL && block[0] == 5);
    char *volatile old = block;
    char *volatile larger = realloc(block, 16); // @moved
    assert(larger[0] == 5);
    larger = realloc(larger, 32); // @growth
    if (USE == 1)
        block = realloc(old, 16); // @again
    if (USE == 3)
        old[0] = 1; // @old
    free(larger);   // @freed
    if (USE == 4)
        larger = realloc(larger, 0); // @once-more
    return 0;
}
