//@ why: Store buffering on another machine's instructions, which the file of templates explains: an
//@      exchange that is a full fence there, a load, and a hint that does nothing. Without the
//@      exchange, a fence among stores does not help. The first instruction is not of this machine,
//@      so the program would not even assemble if it were left in place.
//@ run: -DFENCED=1 --asm-templates atomics/own-templates.txt --preemptions none --monitor tso,pso
//@ verdict: clean
//@ run: -DFENCED=0 --asm-templates atomics/own-templates.txt --preemptions none --monitor tso,pso
//@ verdict: violations
//@ tso: store-x -> load-x, store-y -> load-y
//@ pso: store-x -> load-x, store-y -> load-y
#include <pthread.h>
#include <stdint.h>

volatile int x, y;

int own;

#define FENCE()                                                                                    \
    do {                                                                                           \
        int value = 1;                                                                             \
        if (FENCED)                                                                                \
            __asm__ volatile("swpal %w0, %w0, %1" : "+r"(value), "+m"(own) : : "memory");          \
        else                                                                                       \
            __asm__ volatile("dmb oshst" ::: "memory");                                            \
    } while (0)

static void *left(void *unused) {
    int value;
    (void)unused;
    x = 1; // @store-x
    FENCE();
    __asm__ volatile("yield");
    __asm__ volatile("ldapr %w0, %1" : "=r"(value) : "m"(y)); // @load-y
    return (void *)(intptr_t)value;
}

static void *right(void *unused) {
    int value;
    (void)unused;
    y = 1; // @store-y
    FENCE();
    __asm__ volatile("yield");
    __asm__ volatile("ldapr %w0, %1" : "=r"(value) : "m"(x)); // @load-x
    return (void *)(intptr_t)value;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
