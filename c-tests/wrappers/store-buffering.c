//@ why: Two times store buffering, with a full fence between them that everything stays on
//@      its side of: in each, each of the two stores can be delayed beyond the other thread's load
//@      of it. That is four pairs of places, whether the accesses are macros or go through
//@      functions that only wrap an access: the places are where these are called. A function that
//@      must not be inlined stays one place, and all four pairs are one.
//@ tso: store-x -> load-x, store-y -> load-y, store-u -> load-u, store-v -> load-v
//@ pso: store-x -> load-x, store-y -> load-y, store-u -> load-u, store-v -> load-v
//@ verdict: violations
//@ run: -DSTATIC
//@ run: -DINLINE
//@ run: -DMACROS
//@ run: -DNESTED
//@ run: -DBARRIERS
//@ run: -DALWAYS_INLINE
//@ run: -DASSEMBLY
//@ run: -DHEADER
//@ run: -DEXPLORED --explorer dpor
//@ run: -DNOINLINE
//@ tso: wrapped-store -> wrapped-load
//@ pso: wrapped-store -> wrapped-load
#include <pthread.h>
#include <stdint.h>

#include "header.h"

#if defined(MACROS)
#define LOAD(from) (*(from))
#define STORE(to, value) (*(to) = (value))
#define FENCE() __sync_synchronize()
#elif defined(HEADER)
#define LOAD(from) header_load(from)
#define STORE(to, value) header_store(to, value)
#define FENCE() __sync_synchronize()
#else
#if defined(INLINE)
#define FUNCTION static inline
#elif defined(ALWAYS_INLINE)
#define FUNCTION inline __attribute__((always_inline))
#elif defined(NOINLINE)
#define FUNCTION static __attribute__((noinline))
#else
#define FUNCTION static
#endif
#define LOAD(from) load(from)
#define STORE(to, value) store(to, value)
#define FENCE() fence()

#if defined(ASSEMBLY)
FUNCTION int load_word(const volatile int *from) {
    int value;
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*from) : "memory");
    return value;
}

FUNCTION void store_word(volatile int *to, int value) {
    __asm__ volatile("movl %1, %0" : "=m"(*to) : "ir"(value) : "memory");
}
#elif defined(BARRIERS)
FUNCTION void barrier(void) { __asm__ volatile("" ::: "memory"); }

FUNCTION int load_word(const volatile int *from) {
    int value;
    barrier();
    value = *from;
    barrier();
    return value;
}

FUNCTION void store_word(volatile int *to, int value) {
    barrier();
    *to = value;
    barrier();
}
#else
FUNCTION int load_word(const volatile int *from) {
    return *from; // @wrapped-load
}

FUNCTION void store_word(volatile int *to, int value) {
    *to = value; // @wrapped-store
}
#endif

#if defined(NESTED)
FUNCTION int load(const volatile int *from) { return load_word(from); }

FUNCTION void store(volatile int *to, int value) { store_word(to, value); }
#else
#define load load_word
#define store store_word
#endif

FUNCTION void fence(void) { __sync_synchronize(); }
#endif

volatile int x, y, u, v;

static void *left(void *unused) {
    intptr_t seen;
    (void)unused;
    STORE(&x, 1);    // @store-x
    seen = LOAD(&y); // @load-y
    FENCE();
    STORE(&u, 1);     // @store-u
    seen += LOAD(&v); // @load-v
    return (void *)seen;
}

static void *right(void *unused) {
    intptr_t seen;
    (void)unused;
    STORE(&y, 1);    // @store-y
    seen = LOAD(&x); // @load-x
    FENCE();
    STORE(&v, 1);     // @store-v
    seen += LOAD(&u); // @load-u
    return (void *)seen;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
