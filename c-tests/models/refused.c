//@ why: What no memory model of graphs gives a meaning is refused where the program does it, by
//@      name and line, and nothing is guessed. Herding Cats has accesses of one size alone, so a
//@      part of what another thread writes is none of them, and an access across two words is
//@      none either. A value of whose bytes one depends on one load and one on another has no
//@      single dependency: the last access before it is named. An indivisible block of several
//@      accesses is no event of POWER.
//@ verdict: unsupported
//@ run: -DPART --model tso
//@ unsupported: part memory accessed in pieces of different widths under --model tso
//@ run: -DPART --model power
//@ unsupported: part memory accessed in pieces of different widths under --model power
//@ run: -DACROSS --model pso
//@ unsupported: across an access across eight aligned bytes under --model pso
//@ run: -DBYTES --model power
//@ unsupported: bytes a value of whose bytes each depends on other loads under --model power
//@ run: -DBLOCK --model tso
//@ unsupported: block an atomic block under --model tso
//@ run: -DBYTES --model tso
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static struct {
    uint64_t first, second;
} both;
static uint8_t x, y, all[2];
static uint16_t z;

static void *other(void *unused) {
#if defined PART
    __atomic_store_n((uint32_t *)&both.first, 1, __ATOMIC_RELAXED); // @part
#elif defined ACROSS
    uint32_t *across = (uint32_t *)((char *)&both.first + 6);
    *(volatile uint32_t *)across = 1; // @across
#elif defined BYTES
    uint8_t read[2];
    uint16_t whole;
    for (int i = 0; i < 2; i++)
        read[i] = __atomic_load_n(&all[i], __ATOMIC_RELAXED); // @bytes
    memcpy(&whole, read, sizeof whole);
    __atomic_store_n(&z, whole, __ATOMIC_RELAXED);
#elif defined BLOCK
    __VERIFIER_atomic_begin(); // @block
    x++;
    y++;
    __VERIFIER_atomic_end();
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    __atomic_store_n(&both.first, 2, __ATOMIC_RELAXED);
    pthread_create(&thread, 0, other, 0);
    __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
    pthread_join(thread, 0);
}
