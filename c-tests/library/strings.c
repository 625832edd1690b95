//@ why: What the C standard, POSIX and the manual pages of glibc say of each function of string.h,
//@      on memory that another thread could see, on memory of the thread alone, and on constants.
//@      While the other thread sleeps, nothing is lost and nothing is torn.
//@ run: --preemptions 0
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

char shared[64], other[64];
int steps;

static void *body(void *unused) {
    steps++;
    return unused;
}

#define SAME(left, right) assert(strcmp(left, right) == 0)

static void reading(char *text, char *needle) {
    strcpy(text, "hello, world");
    strcpy(needle, "o, w");
    assert(strlen(text) == 12 && strnlen(text, 5) == 5 && strnlen(text, 50) == 12);
    assert(strcmp(text, "hello, world") == 0 && strcmp(text, "hello") > 0);
    assert(strcmp("hello", text) < 0 && strncmp(text, "help", 3) == 0);
    assert(strncmp(text, "help", 4) < 0 && strncmp(text, "zzz", 0) == 0);
    assert(strcasecmp(text, "HELLO, World") == 0 && strncasecmp(text, "HELP", 3) == 0);
    assert(memcmp(text, "hello\0", 5) == 0 && memcmp(text, "hellp", 5) < 0);
    assert(strchr(text, 'o') == text + 4 && strchr(text, 'z') == NULL);
    assert(strchr(text, 0) == text + 12 && strchrnul(text, 'z') == text + 12);
    assert(strrchr(text, 'o') == text + 8 && strrchr(text, 0) == text + 12);
    assert(memchr(text, 'w', 12) == text + 7 && memchr(text, 'w', 7) == NULL);
    assert(memrchr(text, 'l', 12) == text + 10 && rawmemchr(text, ',') == text + 5);
    assert(strstr(text, needle) == text + 4 && strstr(text, "") == text);
    assert(strstr(text, "worlds") == NULL && strcasestr(text, "WOR") == text + 7);
    assert(memmem(text, 12, needle, 4) == text + 4 && memmem(text, 5, needle, 4) == NULL);
    assert(strspn(text, "hel") == 4 && strcspn(text, ",w") == 5);
    assert(strpbrk(text, "wr") == text + 7 && strpbrk(text, "xyz") == NULL);
    assert(strcoll(text, "hello, world") == 0);
    char *copy = strdup(text), *part = strndup(text, 5);
    SAME(copy, text);
    SAME(part, "hello");
    free(copy);
    free(part);
}

static void writing(char *to, char *from) {
    strcpy(from, "abc");
    assert(strcpy(to, from) == to && stpcpy(to, from) == to + 3);
    memset(to, 'x', 10);
    assert(strncpy(to, from, 6) == to);
    assert(memcmp(to, "abc\0\0\0xxxx", 10) == 0);
    assert(strncpy(to, from, 2) == to && memcmp(to, "abc", 4) == 0);
    assert(stpncpy(to, "xy", 5) == to + 2);
    SAME(strcat(to, "z"), "xyz");
    SAME(strncat(to, "12345", 2), "xyz12");
    assert(mempcpy(to, from, 4) == to + 4);
    assert(memccpy(to, "one two", ' ', 7) == to + 4 && memccpy(to, "one", '!', 3) == NULL);
    bcopy("moved", to, 6);
    SAME(to, "moved");
    bcopy(to, to + 1, 5);
    assert(memcmp(to, "mmoved", 6) == 0);
    bzero(to, 3);
    assert(memcmp(to, "\0\0\0ved", 6) == 0);
}

static void tokens(char *text) {
    char *rest, *all = text;
    strcpy(text, ";;one;two;;three");
    SAME(strtok_r(text, ";", &rest), "one");
    SAME(strtok_r(NULL, ";", &rest), "two");
    SAME(strtok_r(NULL, ";", &rest), "three");
    assert(strtok_r(NULL, ";", &rest) == NULL);
    strcpy(text, "four five");
    SAME(strtok(text, " "), "four");
    SAME(strtok(NULL, " "), "five");
    assert(strtok(NULL, " ") == NULL);
    strcpy(text, "a,,b");
    SAME(strsep(&all, ","), "a");
    SAME(strsep(&all, ","), "");
    SAME(strsep(&all, ","), "b");
    assert(strsep(&all, ",") == NULL);
}

int main(void) {
    pthread_t thread;
    char mine[64], also[64];
    char *block = malloc(64);
    pthread_create(&thread, NULL, body, NULL);
    reading(shared, other);
    reading(mine, also);
    reading(block, shared);
    writing(shared, other);
    writing(mine, also);
    writing(block, shared);
    tokens(shared);
    tokens(mine);
    tokens(block);
    free(block);
    pthread_join(thread, NULL);
    return 0;
}
