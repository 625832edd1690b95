/* fencehound.h: what a program can tell Fencehound.
 *
 * `fencehound cc` finds this header without a flag. Compiled by any other compiler, the calls
 * vanish or do the obvious.
 */
#ifndef FENCEHOUND_H
#define FENCEHOUND_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __FENCEHOUND__

/* Drops this execution unless `condition` holds. */
void fh_assume(int condition);

/* One of 0 ... count-1; every value is explored. */
unsigned long fh_choose(unsigned long count);

/* Fails, as assert() does, unless `condition` holds. */
void fh_assert(int condition);

/* The value belongs to the outcome of this execution. The distinct outcomes are the key `outcomes`
 * of the result (`--json`): what each thread observed, in its order. */
void fh_observe(long value);

/* What these bytes hold in the end is no part of the outcome: a counter of retries, a log. */
void fh_ignore(const void *from, unsigned long length);

/* Compares two words with what they are expected to hold, and if both do, writes both: one
 * indivisible, relaxed operation. Whether it wrote. Both words are aligned, and of 8 bytes.
 */
int fh_double_compare_and_swap(void *first, void *second, unsigned long first_old,
                               unsigned long second_old, unsigned long first_new,
                               unsigned long second_new);
/* A transaction of the monitors of atomicity (`--monitor sc-atomicity,tso-atomicity`): what the
 * thread does between the two. One inside another is part of it. */
void fh_atomic_begin(void);
void fh_atomic_end(void);

/* A function that is one: `FH_ATOMIC void transfer(int from, int to)`. */
#define FH_ATOMIC __attribute__((annotate("fencehound.atomic")))

#else

#include <assert.h>
#define fh_assume(condition) ((void)(condition))
#define fh_choose(count) ((void)(count), 0UL)
#define fh_assert(condition) assert(condition)
#define fh_observe(value) ((void)(value))
#define fh_ignore(from, length) ((void)(from), (void)(length))
#define fh_atomic_begin() ((void)0)
#define fh_atomic_end() ((void)0)
#define FH_ATOMIC

/* Indivisible among its own calls alone. */
static inline int fh_double_compare_and_swap(void *first, void *second, unsigned long first_old,
                                             unsigned long second_old, unsigned long first_new,
                                             unsigned long second_new) {
    static char is_locked;
    unsigned long *one = (unsigned long *)first, *other = (unsigned long *)second;
    while (__atomic_test_and_set(&is_locked, __ATOMIC_ACQUIRE))
        ;
    int succeeds = __atomic_load_n(one, __ATOMIC_RELAXED) == first_old &&
                   __atomic_load_n(other, __ATOMIC_RELAXED) == second_old;
    if (succeeds) {
        __atomic_store_n(one, first_new, __ATOMIC_RELAXED);
        __atomic_store_n(other, second_new, __ATOMIC_RELAXED);
    }
    __atomic_clear(&is_locked, __ATOMIC_RELEASE);
    return succeeds;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
