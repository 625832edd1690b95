//@ why: Everything here is defined in C: the last byte of a block, a member of a packed struct that
//@      is not aligned, an array at the end of a struct, room that a function makes for itself in a
//@      loop, a struct passed by value whose address is given away, variables of the same function
//@      one call after the other, a pointer right behind an array that is only compared. None of it
//@      is out of bounds, or used after its time.
//@ run: --preemptions 1
//@ verdict: clean
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct __attribute__((packed)) packed {
    char first;
    long second;
};

struct tail {
    short length;
    char text[];
};

struct large {
    long items[5];
};

struct tail constant_tail = {3, {'a', 'b', 'c'}};
int table[3][5];
static char bytes[13];
_Thread_local char own[7];
struct packed packed;
__attribute__((weak)) int weak = 4;
__attribute__((aligned(64))) char aligned;
__attribute__((section("numbers"))) int numbered = 1, also_numbered = 2;
char *volatile given;

static void *add_up(void *argument) {
    struct large *large = argument;
    return (void *)(large->items[0] + large->items[4]);
}

static long in_thread(struct large copy) {
    pthread_t thread;
    void *sum;
    pthread_create(&thread, NULL, add_up, &copy);
    pthread_join(thread, &sum);
    return (long)sum;
}

static int deep(int level, int *above) {
    int local = level;
    given = (char *)&local;
    if (level)
        return deep(level - 1, &local) + *above;
    return *above;
}

static int room(int count) {
    int sum = 0;
    for (int i = 1; i <= count; i++) {
        int array[i];
        given = (char *)array;
        memset(given, i, sizeof array);
        sum += given[sizeof array - 1];
    }
    char *all = alloca((size_t)count);
    given = all;
    given[count - 1] = 1;
    return sum + given[count - 1];
}

static int compare(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

int main(void) {
    packed.second = 7;
    constant_tail.text[2] = 'd';
    bytes[12] = own[6] = aligned = 1;
    for (int *at = &table[0][0], *end = at + 15; at != end; at++)
        *at = (int)(end - at);
    qsort(table, 15, sizeof(int), compare);
    assert(table[0][0] == 1 && table[2][4] == 15 && weak == 4 && numbered + also_numbered == 3);

    struct packed *block = malloc(sizeof *block);
    block->second = packed.second;
    assert(((char *)block)[8] == 0 && block->second == 7);
    struct tail *tail = malloc(offsetof(struct tail, text) + 3);
    memcpy(tail->text, constant_tail.text, 3);
    assert(tail->text[2] == 'd');
    free(tail);
    free(block);

    struct large large = {{1, 2, 3, 4, 5}};
    assert(in_thread(large) == 6 && in_thread(large) == 6);
    int local = 10;
    assert(deep(3, &local) == 10 + 3 + 2 + 1 && deep(2, &local) == 10 + 2 + 1);
    assert(room(4) == 1 + 2 + 3 + 4 + 1 && room(2) == 1 + 2 + 1);
    return 0;
}
