//@ why: What follows `--` are the program's arguments, in every execution; there is nothing else.
//@ run: -- 3 4
//@ verdict: clean
//@ run: -- 3 5
//@ verdict: violations
//@ assertion: check
#include <assert.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    assert(count == 3 && arguments[count] == NULL);
    assert(atoi(arguments[1]) + atoi(arguments[2]) == 7); // @check
    return 0;
}
