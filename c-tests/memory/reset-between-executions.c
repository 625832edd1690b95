//@ why: Each execution must begin with the program's initial memory: all kinds of variables and the
//@      heap are checked at the beginning and spoilt after it. Were one not restored, the assertion
//@      would fail in the second of the 19 executions (two created threads of two events each).
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 19
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

int zero;
int seven = 7;
static int hidden = 8;
static char text[] = "initial";
static int *pointer = &seven;
static struct {
    char a;
    long b[20];
} record = {1, {2, 3}};
static volatile int event;

static int calls(void) {
    static int number;
    return ++number;
}

static void check_and_spoil(void) {
    static _Thread_local int local = 9;
    assert(zero == 0 && seven == 7 && hidden == 8);
    assert(strcmp(text, "initial") == 0);
    assert(pointer == &seven);
    assert(record.a == 1 && record.b[1] == 3 && record.b[19] == 0);
    assert(calls() == 1);
    assert(local == 9);
    local = zero = seven = hidden = 1;
    strcpy(text, "other");
    pointer = &zero;
    memset(&record, 9, sizeof record);

    // What a block holds is unspecified, but not what the last execution left in it.
    volatile unsigned *block = malloc(sizeof *block);
    assert(*block != 0x12345678);
    *block = 0x12345678;
}

static void *body(void *unused) {
    event = 1;
    event = 2;
    return unused;
}

int main(void) {
    check_and_spoil();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
