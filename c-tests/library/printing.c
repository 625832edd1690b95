//@ why: What the C standard says of the conversions of printf, scanf and strtol, with text, results
//@      and strings in memory that another thread could see, and in memory of the thread alone.
//@ run: --preemptions 0
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char text[100], word[20];
int whole;
double fraction;
char *end;

static void *body(void *unused) {
    whole = 1;
    return unused;
}

static int formatted(char *to, size_t size, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    assert(vsnprintf(to, size, format, again) == length);
    va_end(again);
    va_end(arguments);
    return length;
}

#define PRINTS(expected, ...)                                                                      \
    do {                                                                                           \
        assert(sprintf(to, __VA_ARGS__) == (int)strlen(expected));                                 \
        assert(strcmp(to, expected) == 0);                                                         \
    } while (0)

static void print(char *to, char *string) {
    strcpy(string, "string");
    PRINTS("a string, str, [   string] [string  ]", "a %s, %.3s, [%9s] [%-*s]", string, string,
           string, 8, string);
    PRINTS("1 -2 3 ff 0x1f 100%", "%d %ld %hhu %x %#lx 100%%", 1, -2L, 259, 255u, 31ul);
    PRINTS("1.50 2.500000e+00 x 0.25", "%.2f %e %c %Lg", 1.5, 2.5, 'x', 0.25L);
    PRINTS("1 2 3 4 5 6 7 8 9 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 0.5 string",
           "%d %d %d %d %d %d %d %d %d %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1f %.1Lf %s", 1, 2,
           3, 4, 5, 6, 7, 8, 9, 1., 2., 3., 4., 5., 6., 7., 8., 9., .5L, string);
    PRINTS("(null) (nil)", "%s %p", (char *)NULL, NULL);
    assert(snprintf(to, 5, "%s!", string) == 7 && memcmp(to, "stri", 5) == 0);
    assert(snprintf(NULL, 0, "%s", string) == 6);
    assert(formatted(to, 100, "%s %d", string, 7) == 8 && strcmp(to, "string 7") == 0);
    char *made;
    assert(asprintf(&made, "<%s>", string) == 8 && strcmp(made, "<string>") == 0);
    free(made);
    assert(printf("%s\n", string) == 7 && puts(string) >= 0 && fputs(string, stdout) >= 0);
    assert(fwrite(string, 2, 3, stdout) == 3 && fprintf(stderr, "%s", string) == 6);
}

static void scan(char *from, int *number, double *real, char *name) {
    int at = -1;
    strcpy(from, " 42 2.5 name] rest");
    assert(sscanf(from, "%d %lf %19[a-z]%n", number, real, name, &at) == 3);
    assert(*number == 42 && *real == 2.5 && strcmp(name, "name") == 0 && at == 12);
    assert(sscanf(from, "%*d %*f %3s", name) == 1 && strcmp(name, "nam") == 0);
    *number = 7;
    assert(sscanf("12 x", "%*d %d", number) == 0 && *number == 7);
    assert(sscanf("", "%d", number) == EOF && *number == 7);
    assert(sscanf("0x1f,z", "%x,%c", (unsigned *)number, name) == 2);
    assert(*number == 31 && name[0] == 'z' && name[1] == 'a');
}

static void numbers(char *from, char **stop) {
    strcpy(from, "  -123abc");
    assert(atoi(from) == -123 && atol(from) == -123 && atoll(from) == -123);
    assert(strtol(from, stop, 10) == -123 && *stop == from + 6);
    assert(strtol(from, stop, 16) == -0x123abc && *stop == from + 9);
    assert(strtoul("077", NULL, 0) == 63 &&
           strtoull("18446744073709551615", NULL, 10) == UINT64_MAX);
    errno = 0;
    assert(strtol("99999999999999999999", stop, 10) == INT64_MAX && errno == ERANGE);
    strcpy(from, "1.25e2xyz");
    assert(strtod(from, stop) == 125 && *stop == from + 6 && atof(from) == 125);
    strcpy(from, "none");
    assert(strtol(from, stop, 10) == 0 && *stop == from);
}

int main(void) {
    pthread_t thread;
    char mine[100], also[20];
    int my_number;
    double my_fraction;
    char *my_end;
    char *block = malloc(100);
    pthread_create(&thread, NULL, body, NULL);
    print(text, word);
    print(mine, also);
    print(block, word);
    scan(text, &whole, &fraction, word);
    scan(mine, &my_number, &my_fraction, also);
    numbers(text, &end);
    numbers(mine, &my_end);
    free(block);
    pthread_join(thread, NULL);
    return 0;
}
