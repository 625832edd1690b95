//@ why: A portable library has its fences in assembly, for each machine in a branch of its own.
//@      Checked as it is, that of x86 is compiled; with fencehound_as.h that of the machine that
//@      is named. Message passing with a flag: the writer's fence must order stores, the reader's
//@      loads. WRONG has a mistake in the branches of ARM and RISC-V alone, which the one of x86
//@      hides: there the reader has a fence among stores.
//@ run: -DWRONG --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DWRONG --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ assertion: stale
//@ run: --model armv8 -DFENCEHOUND_AS_AARCH64
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DWRONG --model armv8 -DFENCEHOUND_AS_AARCH64
//@ verdict: violations
//@ models: armv8 breaks
//@ assertion: stale
//@ run: --model riscv -DFENCEHOUND_AS_RISCV64
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DWRONG --model riscv -DFENCEHOUND_AS_RISCV64
//@ verdict: violations
//@ models: riscv breaks
//@ assertion: stale
//@ run: --model c11 -DFENCEHOUND_AS_RISCV64
//@ verdict: unsupported
//@ unsupported: order-stores a fence of a processor that the model does not have
#if defined FENCEHOUND_AS_AARCH64 || defined FENCEHOUND_AS_RISCV64
#include <fencehound_as.h>
#endif
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#if defined __x86_64__
#define ORDER_STORES() __asm__ volatile("" ::: "memory")
#define ORDER_LOADS() __asm__ volatile("" ::: "memory")
#elif defined __aarch64__
#define ORDER_STORES() __asm__ volatile("dmb ishst" ::: "memory")
#ifdef WRONG
#define ORDER_LOADS() __asm__ volatile("dmb ishst" ::: "memory")
#else
#define ORDER_LOADS() __asm__ volatile("dmb ishld" ::: "memory")
#endif
#elif defined __riscv
#define ORDER_STORES() __asm__ volatile("fence w, w" ::: "memory")
#ifdef WRONG
#define ORDER_LOADS() __asm__ volatile("fence w, w" ::: "memory")
#else
#define ORDER_LOADS() __asm__ volatile("fence r, r" ::: "memory")
#endif
#else
#error "no fences for this machine"
#endif

static volatile int data, flag;

static void *writer(void *unused) {
    data = 1;
    ORDER_STORES(); // @order-stores
    flag = 1;
    return unused;
}

static void *reader(void *unused) {
    int seen = flag;
    ORDER_LOADS();
    int found = data;
    assert(!seen || found); // @stale
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
