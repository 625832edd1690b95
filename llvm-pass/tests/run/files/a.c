// A program of several files: functions and variables across them, an external call that is none.
#include <stdio.h>
#include "shared.h"
int common_one, shared = 1;
_Thread_local int tls = 3;
static int hidden = 10;
int call_back(int n) { return n + hidden; }
int main(void) {
    printf("%d %d\n", helper(2), shared);
    tls++;
    printf("%d %d\n", tls_of_b(), weak_one());
    printf("%d %d\n", with_callback(call_back), strnlen_like("abc"));
    int local = 5;
    change(&local);
    printf("%d %d\n", local, inline_one(4));
    return pure_one() + pure_one();
}
