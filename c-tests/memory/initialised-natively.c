//@ why: wcstombs, which is not instrumented, fills most of these arrays, and memset the other
//@      one: all bytes that are looked at were written. The arrays lie next to each other and
//@      share aligned groups of four bytes, whichever order the compiler has them in.
//@ uninstrumented: wcstombs
//@ run: --uninitialised -O0
//@ verdict: clean
//@ run: --uninitialised -O1
//@ verdict: clean
//@ run: --uninitialised -O2
//@ verdict: clean
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int main(void) {
    static const wchar_t words[] = L"abc";
    char before[3], first[10], second[9], third[5], behind[2];
    assert(wcstombs(first, words, sizeof first) == 3);
    assert(first[0] == 'a' && first[1] == 'b' && first[2] == 'c');
    memset(second, 'x', sizeof second);
    assert(second[8] == 'x');
    assert(wcstombs(third, words, 2) == 2);
    assert(third[0] == 'a' && third[1] == 'b');
    before[2] = behind[0] = 1;
    assert(before[2] == behind[0]);
    assert(wcstombs(before, words, sizeof before) == 3);
    assert(wcstombs(behind, words, sizeof behind) == 2);
    assert(before[0] == 'a' && behind[1] == 'b');
    return 0;
}
