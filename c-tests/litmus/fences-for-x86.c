//@ why: A message is passed with a barrier for the compiler between the two stores, and one
//@      between the two loads. TSO keeps both orders; PSO may let the flag pass the data. A
//@      program that has such barriers alone, or fences in assembly (MFENCE), is written for
//@      x86, and PSO is watched only where it is asked for. A release anywhere in the program
//@      (PORTABLE) says that it is for other machines, too; a relaxed access says nothing, and a
//@      program without any fence (BARE) is written for no machine in particular.
//@ run: --preemptions none
//@ verdict: clean
//@ run: --preemptions none --monitor tso,pso
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: -DPORTABLE --preemptions none
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: -DMFENCE --preemptions none --monitor tso,pso
//@ verdict: clean
//@ run: -DMFENCE -DLATE --preemptions none --monitor pso
//@ verdict: violations
//@ pso: store-data -> load-data
//@ run: -DMFENCE -DLATE --preemptions none
//@ verdict: clean
//@ run: -DBARE --preemptions none
//@ verdict: violations
//@ pso: store-data -> load-data
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef MFENCE
#define BARRIER() __asm__ volatile("mfence" ::: "memory")
#elif defined BARE
#define BARRIER() (void)0
#else
#define BARRIER() __asm__ volatile("" ::: "memory")
#endif

static int volatile data, flag;
static atomic_int elsewhere;

static void *writer(void *unused) {
    data = 1; // @store-data
#ifndef LATE
    BARRIER();
#endif
    flag = 1;
#ifdef LATE
    BARRIER();
#endif
    return unused;
}

static void *reader(void *unused) {
    if (flag) {
        BARRIER();
        assert(data == 1); // @load-data
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
#ifdef PORTABLE
    atomic_store_explicit(&elsewhere, 1, memory_order_release);
#else
    atomic_store_explicit(&elsewhere, 1, memory_order_relaxed);
#endif
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
