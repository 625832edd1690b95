// Thread-local variables.
#include <stdio.h>
#include <errno.h>
#include <ctype.h>
_Thread_local int visible = 1;
static _Thread_local int own;
static __thread int escaping;
extern _Thread_local int elsewhere;
static _Thread_local int large[100];
int *where;
int result;

void use(void) {
    visible++; //> load4 visible; store4 visible
    own++;
    own += elsewhere; //> load4 elsewhere
    where = &escaping; //> store8 where
    escaping = 1; //> store4 escaping
    large[3] = own; //> store4 large[3]
}

int static_local(void) {
    static _Thread_local int calls;
    return ++calls;
}

int library(int c) {
    errno = 0;
    fputs("x", stdout); //> site
    if (isdigit(c))
        result = errno; //> store4 result
    return toupper(c); //> external toupper known
}
