//@ why: Structs that are assigned, passed and returned by value, with bit-fields, unions, padding
//@      and arrays inside, keep their members; so do memcpy, memmove and memset of any length, also
//@      where source and target overlap, and whatever the alignment.
//@ run:
//@ verdict: clean
//@ executions: 1
#include <assert.h>
#include <stdint.h>
#include <string.h>

struct inner {
    char tag;
    double number;
};

struct outer {
    uint8_t byte;
    struct inner inner[2];
    union {
        uint64_t whole;
        uint16_t parts[4];
    } bits;
    unsigned low : 3;
    unsigned high : 13;
    long double extended;
};

struct outer a, b;
unsigned char bytes[64];

static struct outer changed(struct outer value) {
    value.byte++;
    value.inner[1].number *= 2;
    value.bits.parts[3] = 0xffff;
    value.high = 4097;
    return value;
}

int main(void) {
    a = (struct outer){.byte = 255, .inner = {{'x', 1.5}, {'y', 2.5}}, .low = 5, .extended = 3};
    a.bits.whole = 0x0123456789abcdef;
    b = changed(a);
    assert(a.byte == 255 && b.byte == 0);
    assert(b.inner[0].tag == 'x' && b.inner[0].number == 1.5);
    assert(b.inner[1].tag == 'y' && b.inner[1].number == 5.0);
    assert(b.bits.whole == 0xffff456789abcdef && b.bits.parts[1] == 0x89ab);
    assert(b.low == 5 && b.high == 4097 && b.extended == 3);

    memset(bytes, 7, sizeof bytes);
    for (unsigned i = 0; i < 64; i++)
        bytes[i] += (unsigned char)i;
    memmove(bytes + 3, bytes, 41);
    memcpy(bytes + 50, bytes + 5, 13);
    memset(bytes + 1, 0, 2);
    assert(bytes[0] == 7 && bytes[1] == 0 && bytes[2] == 0);
    for (unsigned i = 3; i < 44; i++)
        assert(bytes[i] == 7 + i - 3);
    for (unsigned i = 50; i < 63; i++)
        assert(bytes[i] == 7 + (i - 45) - 3);
    assert(bytes[44] == 7 + 44 && bytes[63] == 7 + 63);
    return 0;
}
