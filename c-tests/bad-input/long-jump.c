//@ why: A jump out of a function past its callers cannot be followed: refused by name and line.
//@ run:
//@ verdict: unsupported
//@ unsupported: setjmp setjmp
#include <setjmp.h>

jmp_buf buffer;

int main(void) {
    if (setjmp(buffer) == 0) // @setjmp
        longjmp(buffer, 1);
    return 0;
}
