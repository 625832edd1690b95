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

#else

#include <assert.h>
#define fh_assume(condition) ((void)(condition))
#define fh_choose(count) ((void)(count), 0UL)
#define fh_assert(condition) assert(condition)

#endif

#ifdef __cplusplus
}
#endif

#endif
