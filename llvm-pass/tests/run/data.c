// All kinds of data: integers, floats, structs, unions, bit-fields, vectors, wide integers.
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int8_t a = -1;
uint8_t ua = 200;
int16_t b = -300;
uint16_t ub = 60000;
int32_t c = -70000;
int64_t d = -5000000000;
bool flag = true;
float f = 1.5f;
double g = -2.25;
long double h = 3.75L;
__int128 wide = 1;
unsigned _BitInt(24) odd = 123456;
_Complex float z = 1 + 2 * I;
typedef int four __attribute__((vector_size(16)));
typedef float two __attribute__((vector_size(8)));
four lanes = {1, 2, 3, 4};
two half = {0.5f, 0.25f};
struct bits { unsigned low : 3; int mid : 7; unsigned long high : 40; bool one : 1; } bits;
union mix { int i; float f; unsigned char bytes[8]; double d; } mix;
struct inner { short s; char c; };
struct outer { struct inner in[2]; long tail; char text[5]; } out, outs[3];
struct __attribute__((packed)) packed { char c; int i; long l; } packed;
struct large { int values[20]; } large;
volatile int vol = 3;
int *pointer;
const int constants[4] = {10, 20, 30, 40};
char text[32] = "initial";

struct large change(struct large x, int by) {
    for (int i = 0; i < 20; i++)
        x.values[i] += by * i;
    return x;
}
struct inner swap(struct inner x) { return (struct inner){x.c, (char)x.s}; }
struct pair2 { double x; long y; } p2 = {1.5, 2};
struct pair2 both(struct pair2 x) { return (struct pair2){x.x * 2, x.y * 3}; }
long double longer(long double x) { return x * h; }
__int128 widen(__int128 x) { return x << 70 | wide; }
four add(four x) { return x + lanes; }

static void numbers(void) {
    a -= 2, ua += 100, b *= 3, ub++, c /= 7, d >>= 3;
    flag = !flag;
    f *= 3, g /= 4, h += f;
    odd *= 1000;
    z *= z;
    printf("%d %u %d %u %d %ld %d %g %g %Lg\n", a, ua, b, ub, c, d, flag, f, g, h);
    wide = widen(wide + 5);
    printf("%lx %lx %u %g %g\n", (long)(wide >> 64), (long)wide, (unsigned)odd, crealf(z), cimagf(z));
    lanes = add(lanes) * 2;
    half += half;
    printf("%d %d %d %d %g %g\n", lanes[0], lanes[1], lanes[2], lanes[3], half[0], half[1]);
    printf("%Lg\n", longer(2));
}

static void structs(int n) {
    bits.low = 13, bits.mid = -5, bits.high = 1ul << 39 | 77, bits.one = true;
    bits.mid++;
    printf("%u %d %lu %d\n", bits.low, bits.mid, (unsigned long)bits.high, bits.one);
    mix.f = 1.0f;
    printf("%x %u\n", mix.i, mix.bytes[3]);
    mix.d = -1;
    printf("%u\n", mix.bytes[7]);
    out.in[n].s = 12, out.in[0].c = 'x', out.tail = 99;
    strcpy(out.text, "abcd");
    outs[n] = out;
    outs[2] = outs[n];
    struct outer local = outs[2];
    local.tail++;
    outs[0] = local;
    printf("%d %c %ld %s %d\n", outs[0].in[1].s, outs[0].in[0].c, outs[0].tail, outs[2].text, local.in[0].s);
    packed = (struct packed){1, -2, 3};
    packed.l += packed.i;
    printf("%d %d %ld\n", packed.c, packed.i, packed.l);
    large = change(large, 3);
    large = change(large, n);
    struct large other = large;
    other.values[4] = 1;
    large = change(other, 1);
    printf("%d %d %d\n", large.values[1], large.values[4], large.values[19]);
    struct inner s = swap(out.in[0]);
    out.in[1] = swap(s);
    p2 = both(both(p2));
    printf("%d %d %d %g %ld\n", s.s, s.c, out.in[1].s, p2.x, p2.y);
}

static void memory(int n) {
    char local[16];
    memset(local, 'a' + n, sizeof local);
    local[15] = 0;
    memcpy(text, local, 16);
    memmove(text + 2, text, 8);
    text[3] = 'X';
    memcpy(local, text, 8);
    memset(text + 10, '.', (size_t)n + 2);
    puts(text);
    puts(local);
    int *heap = malloc(10 * sizeof *heap);
    for (int i = 0; i < 10; i++)
        heap[i] = i * n;
    heap = realloc(heap, 20 * sizeof *heap);
    pointer = heap + 3;
    vol += *pointer + vol;
    printf("%d %d %d %zu\n", vol, pointer[-1], constants[n], strlen(text));
    free(heap);
    long *zeros = calloc(4, 8);
    zeros[1]++;
    printf("%ld %ld\n", zeros[0], zeros[1]);
    free(zeros);
    int sizes[n + 2];
    for (int i = 0; i < n + 2; i++)
        sizes[i] = i * i;
    printf("%d\n", sizes[n + 1]);
}

int main(void) {
    numbers();
    structs(1);
    memory(2);
    return 3;
}
