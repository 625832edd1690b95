//@ why: The hints of ARM in a wait loop do nothing, so message passing hangs on its barriers: with
//@      `dmb` the message is there, with a hint in its place not. Loops of exclusive accesses,
//@      barriers by number and those for one processor are refused by name where they are
//@      reached. None of these could be assembled for x86: they must be taken out.
//@ run: -DBARRIER=DMB_ISH --model armv8
//@ verdict: clean
//@ run: -DBARRIER=SEV --model armv8
//@ verdict: violations
//@ assertion: late
//@ run: -DBARRIER=FENCE_I --model riscv
//@ verdict: violations
//@ assertion: late
//@ run: -DBARRIER=DMB_9 --model armv8
//@ verdict: unsupported
//@ unsupported: barrier inline assembly `dmb #9`
//@ run: -DBARRIER=DMB_NSH --model armv8
//@ verdict: unsupported
//@ unsupported: barrier inline assembly `dmb nsh`
//@ run: -DBARRIER=DMB_ISH -DEXCLUSIVE --model armv8
//@ verdict: unsupported
//@ unsupported: loop `1: ldxr %w0, %2; add %w0, %w0, #1; stxr %w1, %w0, %2; cbnz %w1, 1b`
#include <assert.h>
#include <pthread.h>

#define DMB_ISH "dmb ish"
#define SEV "sev"
#define FENCE_I "fence.i"
#define DMB_9 "dmb #9"
#define DMB_NSH "dmb nsh"

static volatile int message, flag;

static void *sends(void *unused) {
    message = 1;
    __asm__ volatile(BARRIER ::: "memory"); // @barrier
    flag = 1;
    return unused;
}

#ifdef EXCLUSIVE
static int count(void) {
    int value, failed;
    __asm__ volatile( // @loop
        "1: ldxr %w0, %2\n add %w0, %w0, #1\n stxr %w1, %w0, %2\n cbnz %w1, 1b"
        : "=&r"(value), "=&r"(failed), "+Q"(flag));
    return value;
}
#endif

int main(void) {
    pthread_t sender;
    pthread_create(&sender, 0, sends, 0);
    while (!flag)
        __asm__ volatile("wfe");
    __asm__ volatile("dmb ishld" ::: "memory");
    int received = message;
    assert(received); // @late
#ifdef EXCLUSIVE
    assert(count() > 1);
#endif
    pthread_join(sender, 0);
}
