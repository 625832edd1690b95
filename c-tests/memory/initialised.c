//@ why: Everything that is used here is written before, by what C has for it: fills, copies, the
//@      C library, callers and callees, static storage. Padding and fields that nobody sets are
//@      copied, compared and swapped with the rest, and never looked at.
//@ run: --uninitialised --preemptions 1
//@ verdict: clean
//@ run: --uninitialised --preemptions 1 -O0
//@ verdict: clean
//@ run: --uninitialised --preemptions none -O2 --explorer dpor
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct padded {
    char letter;
    int number;
    short half;
};

struct bits {
    unsigned low : 3, middle : 9, high : 20;
};

union both {
    int number;
    char bytes[4];
};

static struct padded zero;
static _Thread_local int mine;
static _Atomic(struct padded) swapped;
static struct padded *_Atomic published;

static struct padded make(int number) {
    struct padded made;
    made.letter = 'm';
    made.number = number;
    return made;
}

static int sum(struct padded one, int count, ...) {
    va_list list;
    int total = one.number;
    va_start(list, count);
    while (count--)
        total += va_arg(list, int);
    va_end(list);
    return total;
}

static void set(int *into, double *fraction) {
    *into = 3;
    *fraction = .5;
}

static int by_number(const void *left, const void *right) {
    const struct padded *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

static void *worker(void *argument) {
    struct padded *own = argument, *given = published;
    mine = own->number;
    if (given && given->number == 7)
        mine++;
    return (void *)(size_t)mine;
}

static void heap(void) {
    char *text = calloc(4, 4);
    assert(text[15] == 0);
    memset(text, 'x', 8);
    text = realloc(text, 64);
    assert(strlen(text) == 8);
    strcpy(text + 8, "tail");
    assert(strcmp(text, "xxxxxxxxtail") == 0);
    snprintf(text + 20, 20, "%s %d", text, 5);
    assert(text[20] == 'x' && strchr(text + 20, '5'));
    char *copy = strdup(text);
    assert(memcmp(copy, text, 13) == 0);
    free(copy);
    free(text);
    void *aligned = NULL;
    assert(posix_memalign(&aligned, 64, 64) == 0 && aligned);
    free(aligned);
}

static void structs(void) {
    struct padded one = make(1), *two = malloc(sizeof *two), three[3];
    *two = one;
    memcpy(&three[0], two, sizeof *two);
    three[1] = make(-1);
    three[2] = zero;
    qsort(three, 3, sizeof *three, by_number);
    assert(three[0].number == -1 && three[1].number == 0 && three[2].number == 1);
    assert(sum(*two, 2, 10, 20) == 31);
    atomic_store(&swapped, one);
    struct padded expected = atomic_load(&swapped);
    assert(expected.number == 1 && expected.letter == 'm');
    struct bits *bits = malloc(sizeof *bits);
    bits->middle = 100;
    bits->middle++;
    assert(bits->middle == 101);
    union both both;
    both.number = 0x01020304;
    assert(both.bytes[3] == 1);
    free(bits);
    free(two);
}

static void library(void) {
    int number, scanned;
    double fraction;
    set(&number, &fraction);
    assert(number == 3 && fraction > 0);
    assert(sscanf("12", "%d", &scanned) == 1 && scanned == 12);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_nsec < 1000000000);
    time_t seconds;
    time(&seconds);
    assert(seconds >= 0);
    char *end, text[32] = "17 rest";
    assert(strtol(text, &end, 10) == 17 && *end == ' ');
    int length = sprintf(text, "%d", number);
    assert(length == 1 && text[0] == '3');
    int array[number];
    for (int i = 0; i < number; i++)
        array[i] = i;
    assert(array[2] == 2);
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    void *result;
    struct padded *argument = malloc(sizeof *argument), *node = malloc(sizeof *node);
    argument->number = 5;
    assert(pthread_create(&thread, &attributes, worker, argument) == 0);
    node->number = 7;
    published = node;
    heap();
    structs();
    library();
    pthread_join(thread, &result);
    assert((size_t)result == 5 || (size_t)result == 6);
    assert(mine == 0);
    free(node);
    free(argument);
    return 0;
}
