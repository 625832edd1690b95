// Plain accesses of all widths and types, volatile and bit-fields.
#include <stdbool.h>
#include <stdint.h>
char c;
short s;
int i, j;
long l;
float f;
double d;
bool b;
void *p;
volatile int v;
unsigned _BitInt(24) odd;
struct { unsigned low : 3, high : 29; } bits;
const int fixed = 7;
static const int table[4] = {1, 2, 3, 4};
int array[3];
static int hidden;

void stores(int value) {
    c = 1; //> store1 c
    s = 2; //> store2 s
    i = 3; //> store4 i
    l = 4; //> store8 l
    f = 5; //> store4 f
    d = 6; //> store8 d
    b = value; //> store1 b
    p = &i; //> store8 p
    v = 7; //> store4 v
    array[2] = value; //> store4 array[2]
    array[value] = 1; //> store4 array[…]
    hidden = 2; //> store4 hidden
}

double loads(int *pointer) {
    int local = c; //> load1 c
    local += s; //> load2 s
    local += i + j; //> load4 i; load4 j
    local += l; //> load8 l
    local += f; //> load4 f
    local += d; //> load8 d
    if (b) //> load1 b
        local++;
    local += p != 0; //> load8 p
    local += v; //> load4 v
    local += array[1]; //> load4 array[1]
    local += *pointer; //> load4 *pointer
    local += fixed + table[local & 3] + "text"[local & 3];
    return local;
}

void unused(void) {
    int ignored = i; //> load4 i
    (void)j; //> load4 j
    v; //> load4 v
}

void modify(void) {
    i++; //> load4 i; store4 i
    j += i; //> load4 i; load4 j; store4 j
    bits.high = 9; //> load4 bits; store4 bits
    v |= 4; //> load4 v; store4 v
}

int conditions(int a) {
    static int counter;
    counter++; //> load4 counter; store4 counter
    return a && i || j; //> load4 i; load4 j
}
