//@ why: SIGPIPE ends a program that writes to a pipe without a reader: a crash, at the call.
//@ run:
//@ verdict: violations
//@ crash: write
//@ uninstrumented: pipe write
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    close(ends[0]);
    return write(ends[1], "x", 1) != 1; // @write
}
