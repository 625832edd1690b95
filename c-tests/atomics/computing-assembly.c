//@ why: Assembly that only computes in registers is no business of other threads: what bsr, a jump
//@      over a move, and bswap give is what C computes, and the accesses around it are the only
//@      events. One thread of two accesses and main with two of its own: C(4, 2) interleavings.
//@ run: --preemptions none
//@ verdict: clean
//@ executions: 6
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

volatile uint32_t x, y;

// The position of the highest bit that is set; ~0 if there is none.
static uint32_t highest_bit(uint32_t number) {
    uint32_t position;
    __asm__("bsrl %1, %0\n\tjnz 1f\n\tmovl $-1, %0\n1:" : "=r"(position) : "rm"(number));
    return position;
}

static uint32_t reversed(uint32_t number) {
    __asm__("bswap %0" : "+r"(number));
    return number;
}

static void *writer(void *unused) {
    (void)unused;
    x = 1 << highest_bit(0x0000ffff);
    (void)y;
    return NULL;
}

int main(void) {
    pthread_t thread;
    assert(highest_bit(0) == ~UINT32_C(0) && highest_bit(1) == 0 && highest_bit(0x80000000) == 31);
    assert(reversed(0x01020304) == 0x04030201);
    pthread_create(&thread, NULL, writer, NULL);
    uint32_t found = x;
    assert(found == 0 || found == 0x8000);
    y = reversed(found);
    pthread_join(thread, NULL);
    return 0;
}
