//@ why: abort(), a trap and reach_error() are failures wherever they are reached; exit() is one if
//@      its status is not 0.
//@ run: -DEND=abort()
//@ verdict: violations
//@ crash: end
//@ run: -DEND=__builtin_trap()
//@ verdict: violations
//@ crash: end
//@ run: -DEND=reach_error()
//@ verdict: violations
//@ assertion: end
//@ run: -DEND=exit(3)
//@ verdict: violations
//@ exit-status: end
//@ run: -DEND=_Exit(0)
//@ verdict: clean
#include <pthread.h>
#include <stdlib.h>

extern void reach_error(void);

int main(void) {
    END; // @end
    return 0;
}
