//@ why: Each case uses bytes that the program has not written: it branches on them, takes
//@      them for an address or an index, passes or returns them, or has the C library compare or
//@      print them. The finding names the place of the use and that of the block, or of the
//@      function whose local variable it is. A copy by itself is no use: COPIED is found where the
//@      copy is looked at.
//@ run: --uninitialised -DWHAT=FIELD
//@ verdict: violations
//@ uninitialised: field block
//@ run: --uninitialised -DWHAT=LOCAL
//@ verdict: violations
//@ uninitialised: local function
//@ run: --uninitialised -DWHAT=KNOWN
//@ verdict: violations
//@ uninitialised: known function
//@ run: --uninitialised -DWHAT=ELEMENT
//@ verdict: violations
//@ uninitialised: element function
//@ run: --uninitialised -DWHAT=ARGUMENT
//@ verdict: violations
//@ uninitialised: argument block
//@ run: --uninitialised -DWHAT=STRING
//@ verdict: violations
//@ uninitialised: string function
//@ run: --uninitialised -DWHAT=PRINTED
//@ verdict: violations
//@ uninitialised: printed block
//@ run: --uninitialised -DWHAT=WRITTEN
//@ verdict: violations
//@ uninitialised: written block
//@ run: --uninitialised -DWHAT=COMPARED
//@ verdict: violations
//@ uninitialised: compared block
//@ run: --uninitialised -DWHAT=TAIL
//@ verdict: violations
//@ uninitialised: tail moved
//@ run: --uninitialised -DWHAT=COPIED
//@ verdict: violations
//@ uninitialised: copied block
//@ run: --uninitialised -DWHAT=POINTER
//@ verdict: violations
//@ uninitialised: pointer block
//@ run: --uninitialised -DWHAT=EXCHANGED
//@ verdict: violations
//@ uninitialised: exchanged block
//@ run: --uninitialised -DWHAT=ALIGNED
//@ verdict: violations
//@ uninitialised: aligned wide
//@ run: --uninitialised -DWHAT=ESCAPED
//@ verdict: violations
//@ uninitialised: escaped function
//@ run: --uninitialised -DWHAT=BITS
//@ verdict: violations
//@ uninitialised: bits block
//@ run: --uninitialised -DWHAT=OTHER_BITS
//@ verdict: clean
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIELD,
    LOCAL,
    KNOWN,
    ELEMENT,
    ARGUMENT,
    STRING,
    PRINTED,
    WRITTEN,
    COMPARED,
    TAIL,
    COPIED,
    POINTER,
    EXCHANGED,
    ALIGNED,
    ESCAPED,
    BITS,
    OTHER_BITS
};

struct pair {
    int first, second;
    struct pair *next;
    unsigned low : 3, high : 5;
};

static volatile int one = 1, out;
static void leak(int *a, int *b) { *a = *b = out; }
static void keep(int *a) { (void)a; }
static void (*volatile keeps)(int *) = keep;
static int twice(int number) { return 2 * number; }

int main(void) {                              // @function
    struct pair *pair = malloc(sizeof *pair); // @block
    pair->first = 1;
    pair->low = 1;
    int local, known, elements[4], escaped;
    char string[16];
    string[0] = 'a';
    elements[one] = 1;
    if (one == 2)
        local = 1;
    known = 2;
    leak(&known, &known);
    switch (WHAT) {
    case FIELD:
        if (pair->second) // @field
            out = 1;
        break;
    case LOCAL:
        if (local) // @local
            out = 1;
        break;
    case KNOWN:
        for (int unknown; unknown < 3; unknown++) // @known
            out = 1;
        break;
    case ELEMENT:
        if (elements[one + 1]) // @element
            out = 1;
        break;
    case ARGUMENT:
        out = twice(pair->second); // @argument
        break;
    case STRING:
        out = (int)strlen(string); // @string
        break;
    case PRINTED:
        printf("%d\n", pair->second); // @printed
        break;
    case WRITTEN:
        fwrite(&pair->second, 1, sizeof pair->second, stdout); // @written
        break;
    case COMPARED:
        out = memcmp(&pair->second, &known, sizeof known); // @compared
        break;
    case TAIL:
        pair = realloc(pair, 2 * sizeof *pair);       // @moved
        if (pair[0].first == 1 && pair[1].first == 1) // @tail
            out = 1;
        break;
    case COPIED: {
        struct pair copy = *pair, *other = malloc(sizeof copy);
        memcpy(other, &copy, sizeof copy);
        if (other->first == 1 && other->second == 1) // @copied
            out = 1;
        break;
    }
    case POINTER:
        out = pair->next->first; // @pointer
        break;
    case EXCHANGED: {
        int expected = 0;
        atomic_compare_exchange_strong((_Atomic int *)&pair->second, &expected, 1); // @exchanged
        break;
    }
    case ALIGNED: {
        int *wide = aligned_alloc(64, 128); // @wide
        if (wide[31])                       // @aligned
            out = 1;
        break;
    }
    case ESCAPED:
        keeps(&escaped);
        if (escaped) // @escaped
            out = 1;
        break;
    case BITS:
        if (pair->high) // @bits
            out = 1;
        break;
    case OTHER_BITS:
        if (pair->low == 1)
            out = 1;
        break;
    }
    return 0;
}
