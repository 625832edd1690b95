//@ why: A second process is outside of any control; its line must be named.
//@ run:
//@ verdict: unsupported
//@ unsupported: fork fork
#include <unistd.h>

int main(void) {
    return fork() < 0; // @fork
}
