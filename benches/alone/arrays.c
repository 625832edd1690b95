// Arrays: strided reads, copies, fills and sums, in one thread.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 4096
static unsigned table[N], copy[N];
static char text[N];
int main(void) {
    unsigned long sum = 0;
    unsigned *heap = malloc(sizeof table);
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < N; i++)
            table[i] = table[(i * 7 + round) % N] * 3 + (unsigned)i;
        memcpy(copy, table, sizeof copy);
        memmove(heap, copy, sizeof copy);
        memset(text, round, sizeof text);
        for (int i = 0; i < N; i++)
            sum += heap[i] ^ (unsigned char)text[i];
    }
    printf("%lu\n", sum);
}
