//@ why: Store buffering with the fence in assembly. An mfence, or a locked operation on something,
//@      is a full fence; an sfence orders stores among themselves; pause, and an empty statement
//@      with a memory clobber, order nothing. Two accesses and a fence in each of two threads, or
//@      none. An assembler takes `%% rax` for `%%rax`.
//@ run: -DFENCE=mfence --preemptions none --monitor tso,pso
//@ verdict: clean
//@ executions: 69
//@ run: -DLOCKED --preemptions none --monitor tso,pso
//@ verdict: clean
//@ executions: 69
//@ run: -DFENCE=sfence --preemptions none --monitor tso,pso
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DFENCE= --preemptions none --monitor tso,pso
//@ verdict: violations
//@ executions: 19
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
//@ run: -DFENCE=pause --preemptions none --monitor tso,pso
//@ verdict: violations
//@ executions: 19
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
#include <pthread.h>
#include <stdint.h>

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)

#ifdef LOCKED
#define ORDER() __asm__ volatile("lock; addl $0, 0(%% rsp)" ::: "memory", "cc")
#else
#define ORDER() __asm__ volatile(TEXT(FENCE)::: "memory")
#endif

volatile int x, y;

static void *left(void *unused) {
    (void)unused;
    x = 1; // @store-x
    ORDER();
    return (void *)(intptr_t)y; // @load-y
}

static void *right(void *unused) {
    (void)unused;
    y = 1; // @store-y
    ORDER();
    return (void *)(intptr_t)x; // @load-x
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
