//@ why: C leaves open what aligned_alloc does with an alignment that is none, C11 with a size
//@      that is no multiple of it: findings. posix_memalign says EINVAL, and calloc and
//@      reallocarray give NULL with ENOMEM for more bytes than there are numbers: a program may
//@      count on both.
//@ run: -DWHAT=0
//@ verdict: clean
//@ executions: 1
//@ run: -DWHAT=1
//@ verdict: violations
//@ misuse: alignment
//@ run: -DWHAT=2
//@ verdict: violations
//@ misuse: size
//@ run: -DWHAT=3
//@ verdict: violations
//@ misuse: old
//@ run: -DWHAT=4
//@ verdict: violations
//@ misuse: none
//@ run: -DWHAT=1 --explorer dpor
//@ verdict: violations
//@ misuse: alignment
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

static volatile size_t bad = 24, good = 32, nothing;

int main(void) {
    void *block = &block, *same = block;
    assert(posix_memalign(&block, bad, 64) == EINVAL && posix_memalign(&block, 4, 64) == EINVAL);
    assert(block == same);
    assert(posix_memalign(&block, good, 33) == 0 && (uintptr_t)block % 32 == 0);
    free(block);
    errno = 0;
    assert(calloc(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
    errno = 0;
    block = malloc(8);
    assert(reallocarray(block, SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
    free(block);
    block = aligned_alloc(good, 96);
    assert(block && (uintptr_t)block % 32 == 0);
    free(block);
    block = memalign(good, 33);
    assert(block);
    free(block);
    switch (WHAT) {
    case 1:
        free(aligned_alloc(bad, 48)); // @alignment
        break;
    case 2:
        free(aligned_alloc(good, 33)); // @size
        break;
    case 3:
        free(memalign(bad, 48)); // @old
        break;
    case 4:
        free(aligned_alloc(nothing, 0)); // @none
        break;
    }
    return 0;
}
