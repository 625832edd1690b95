//@ why: Parts of C that touch memory in ways of their own: variable arguments, arrays of variable
//@      length, static locals, flexible arrays, complex numbers, strings, 128-bit integers, long
//@      double, switch and goto. One thread, so one execution, with the results that C defines.
//@ run:
//@ verdict: clean
//@ executions: 1
#include <assert.h>
#include <complex.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct list {
    size_t length;
    short items[];
};

double complex shared_complex;
__int128 shared_wide;
long double shared_long;
float vector[8];

static long sum(int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    long total = 0;
    while (count-- > 0)
        total += count % 2 ? va_arg(arguments, long) : va_arg(arguments, int);
    va_end(arguments);
    return total;
}

static int triangle(int size) {
    int cells[size][size];
    memset(cells, 0, sizeof cells);
    for (int i = 0; i < size; i++)
        for (int j = 0; j <= i; j++)
            cells[i][j] = 1;
    int total = 0;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            total += cells[i][j];
    return total;
}

static int next(void) {
    static int state = 5;
    return state++;
}

static const char *name(int number) {
    switch (number) {
    case 1:
        return "one";
    case 2:
        return "two";
    default:
        return "many";
    }
}

int main(void) {
    assert(sum(4, 1L, 2, 3L, 4) == 10);
    assert(triangle(6) == 21);
    assert(next() == 5 && next() == 6);
    assert(strcmp(name(2), "two") == 0 && strlen(name(7)) == 4);

    struct list *list = malloc(sizeof *list + 3 * sizeof list->items[0]);
    list->length = 3;
    for (size_t i = 0; i < list->length; i++)
        list->items[i] = (short)(i * i);
    assert(list->items[2] == 4);
    free(list);

    shared_complex = 1 + 2 * I;
    shared_complex *= I;
    assert(creal(shared_complex) == -2 && cimag(shared_complex) == 1);
    shared_wide = (__int128)1 << 100;
    shared_wide += 7;
    assert((uint64_t)(shared_wide >> 64) == 1ULL << 36 && (uint64_t)shared_wide == 7);
    shared_long = 1.5L;
    shared_long *= shared_long;
    assert(shared_long == 2.25L);

    int i = 0;
again:
    vector[i] = (float)i / 2;
    if (++i < 8)
        goto again;
    float total = 0;
    for (i = 0; i < 8; i++)
        total += vector[i];
    assert(total == 14);
    return 0;
}
