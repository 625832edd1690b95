//@ why: The environment belongs to the process, and would not be as it was when the next execution
//@      begins: to change it is refused by name and line.
//@ run:
//@ verdict: unsupported
//@ unsupported: change setenv
#include <stdlib.h>

int main(void) {
    return setenv("NAME", "value", 1); // @change
}
