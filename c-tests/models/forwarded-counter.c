//@ why: The producer counts in a variable that it reads back: its loads are forwarded from stores
//@      that take effect later, and what a failing execution keeps of the producer may name a
//@      store behind the load that reads from it. The consumer waits for the flag, and sees the
//@      slot before or after the store to it, which nothing orders before that of the flag: two
//@      executions.
//@ verdict: violations
//@ assertion: stale
//@ executions: 2
//@ run: --model armv8
//@ run: --model riscv
//@ run: --model power
#include <assert.h>
#include <pthread.h>

static volatile int number, slot, written;

static void *producer(void *unused) {
    for (number = 1; number <= 1; number++) {
        slot = number;
        written = !written;
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    while (written == 0)
        ;
    assert(slot == 1); // @stale
    pthread_join(thread, 0);
}
