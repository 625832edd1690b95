//@ why: A library function that nothing is known about may do anything to the shared memory it is
//@      given, unseen. It is refused by name and line; given memory of the thread alone, it is only
//@      listed.
//@ run: -DBUFFER=shared
//@ verdict: unsupported
//@ unsupported: call getrandom
//@ uninstrumented: getrandom
//@ run: -DBUFFER=mine
//@ verdict: clean
//@ uninstrumented: getrandom
#include <sys/random.h>

char shared[8];

int main(void) {
    char mine[8];
    ssize_t got = getrandom(BUFFER, 8, 0); // @call
    (void)mine;
    return got != 8;
}
