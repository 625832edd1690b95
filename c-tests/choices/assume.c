//@ why: Of the five values two pass the assumption, so that two executions are left and three are
//@      given up; the assertion after it cannot fail.
//@ run:
//@ verdict: clean
//@ executions: 2
//@ blocked: 3
#include <fencehound.h>

int main(void) {
    unsigned long value = fh_choose(5);
    fh_assume(value % 2 == 1);
    fh_assert(value == 1 || value == 3);
    return 0;
}
