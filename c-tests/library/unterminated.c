//@ why: A string function reads up to the zero byte, and no further: a string that fills
//@      its block exactly is in bounds to its last byte. Without the zero byte it reads behind
//@      the block. Where the answer is known before (a difference, a count), it reads no more. A
//@      copy that is one byte too long for its target is out of bounds, too.
//@ run: -DUSE=0
//@ verdict: clean
//@ run: -DUSE=1
//@ verdict: violations
//@ out-of-bounds: length allocation
//@ run: -DUSE=2
//@ verdict: violations
//@ out-of-bounds: copy target
//@ run: -DUSE=3
//@ verdict: violations
//@ out-of-bounds: print allocation
//@ run: -DUSE=4
//@ verdict: violations
//@ use-after-free: use free allocation
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *block = malloc(5);  // @allocation
    char *target = malloc(4); // @target
    memcpy(block, "abcd", 5);
    assert(strlen(block) == 4);
    memcpy(target, "efgh", 4);
    assert(strncmp(target, "efghi", 4) == 0 && strcmp(target, "eg") < 0);
    assert(strnlen(target, 4) == 4 && memchr(target, 'h', 100) == target + 3);
    printf("%.4s %s\n", target, block);
    if (USE == 1)
        block[4] = 'e', target[0] = (char)strlen(block); // @length
    if (USE == 2)
        strcpy(target, block); // @copy
    if (USE == 3)
        block[4] = 'e', printf("%s\n", block); // @print
    free(block);                               // @free
    if (USE == 4)
        puts(block); // @use
    free(target);
    return 0;
}
