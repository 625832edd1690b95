// Control flow: recursion, function pointers, varargs, switch, goto, computed goto, cleanup, statement expressions.
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <errno.h>
int depth, log_length, table[10];
char log_text[64];
typedef int (*operation)(int, int);
static int add(int a, int b) { return a + b; }
static int times(int a, int b) { return a * b; }
operation operations[] = {add, times};
operation chosen;

static int fibonacci(int n) {
    depth++;
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static double sum(int n, ...) {
    va_list list, copy;
    va_start(list, n);
    va_copy(copy, list);
    double total = 0;
    for (int i = 0; i < n; i++)
        total += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    total += va_arg(copy, int);
    va_end(copy);
    return total;
}

struct big { long a, b, c; };
static long structs(int n, ...) {
    va_list list;
    va_start(list, n);
    long total = 0;
    while (n--) {
        struct big b = va_arg(list, struct big);
        total += b.a * b.b + b.c;
    }
    va_end(list);
    return total;
}

static void note(const char *format, ...) {
    va_list list;
    va_start(list, format);
    char text[32];
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    memcpy(log_text + log_length, text, length + 1);
    log_length += length;
}

static int interpret(const char *program) {
    static void *const labels[] = {['i'] = &&increase, ['d'] = &&decrease, ['t'] = &&twice, ['e'] = &&end};
    int value = 0;
#define NEXT goto *labels[(int)*program++]
    NEXT;
increase:
    value++, table[1]++;
    NEXT;
decrease:
    value--;
    NEXT;
twice:
    value *= 2;
    NEXT;
end:
    return value;
}

static int branches(int n) {
    switch (n) {
    case 0: return table[0];
    case 1: table[2] = 5;
    case 2: table[3]++; break;
    case 10 ... 20: table[4] += n; break;
    default: return -1;
    }
    return table[n & 7];
}

static int search(int wanted) {
    int i = 0;
retry:
    if (table[i] == wanted)
        return i;
    if (++i < 10)
        goto retry;
    return -1;
}

static void close_it(int *n) { table[9] += *n; }
static int scoped(int n) {
    __attribute__((cleanup(close_it))) int resource = n;
    if (n > 3)
        return 1;
    resource++;
    return 0;
}

static inline int square(int x) { table[5]++; return x * x; }
int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((const)) int constant_function(int n) { return n + table[5]; }

int main(int argc, char **argv) {
    printf("%d %d\n", fibonacci(10), depth);
    chosen = operations[argc];
    printf("%d %d\n", chosen(3, 4), operations[argc - 1](3, 4));
    printf("%g\n", sum(4, 1, 2.5, 3, 4.5));
    struct big b = {2, 3, 4};
    printf("%ld\n", structs(2, b, (struct big){1, 1, 1}));
    note("%d,", 5), note("%s;", "text");
    puts(log_text);
    printf("%d %d\n", interpret("iitide"), table[1]);
    for (int i = 0; i < 22; i += 3)
        printf("%d ", branches(i));
    table[6] = 42;
    printf("%d %d %d %d\n", search(42), search(43), scoped(2), scoped(5));
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof *numbers, compare);
    printf("%d %d %d\n", numbers[0], table[9], square(square(3)));
    printf("%d\n", constant_function(1) + constant_function(1));
    errno = 0;
    strtol("99999999999999999999", 0, 10);
    printf("%d %c %d\n", errno == ERANGE, (toupper)('q'), isalpha('1') != 0);
    int n = ({ int t = table[6]; t - 2; });
    char *copy = strdup("copied");
    copy[0] = 'C';
    puts(copy);
    free(copy);
    assert(n == 40);
    int r = argc ? argc > 1 ? 1 : table[1] : table[2];
    do {
        if (r == 2) continue;
        if (r > 5) break;
    } while (r++ < 10);
    printf("%d\n", r);
    exit(table[6] - 40);
    return 0;
}
