//@ why: Only what the heap gave may be freed: not the inside of a block, nor a variable.
//@ run: -DWHAT=block+1
//@ verdict: violations
//@ invalid-free: free allocation
//@ run: -DWHAT=&variable
//@ verdict: violations
//@ invalid-free: free
//@ run: -DWHAT=block
//@ verdict: clean
//@ run: -DWHAT=NULL
//@ why: Freeing null does nothing.
//@ verdict: clean
#include <stdlib.h>

char variable;

int main(void) {
    char *volatile block = malloc(16); // @allocation
    char *volatile what = WHAT;
    (void)block;
    free(what); // @free
    return 0;
}
