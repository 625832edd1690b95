//@ why: No machine has memory without end: the heap of an execution has a limit, and to reach it is
//@      a failure with a line, not the end of the tool (or of the machine).
//@ run:
//@ verdict: violations
//@ crash: allocation
#include <stdlib.h>

void *volatile last;

int main(void) {
    for (;;)
        last = malloc(1 << 20); // @allocation
}
