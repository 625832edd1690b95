//@ why: What the C standard and POSIX say of each function of the heap, in one thread and in two at
//@      once; nothing that one block holds is touched by another block.
//@ run: --preemptions 1
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int aligned(const void *block, uintptr_t alignment) {
    return (uintptr_t)block % alignment == 0;
}

static int same(const char *left, const char *right) {
    while (*left && *left == *right)
        left++, right++;
    return *left == *right;
}

static void *body(void *unused) {
    int *zeroed = calloc(10, sizeof *zeroed);
    for (int i = 0; i < 10; i++)
        assert(zeroed[i] == 0);
    char *small = malloc(3);
    memcpy(small, "ab", 3);
    char *large = realloc(small, 1000);
    assert(same(large, "ab"));
    char *shrunk = realloc(large, 2);
    assert(shrunk[0] == 'a' && shrunk[1] == 'b');
    free(shrunk);
    free(zeroed);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);

    assert(aligned(malloc(1), _Alignof(max_align_t)));
    assert(aligned(aligned_alloc(256, 512), 256));
    void *block = NULL;
    assert(posix_memalign(&block, 64, 10) == 0 && aligned(block, 64));
    assert(aligned(memalign(4096, 1), 4096));
    assert(calloc(SIZE_MAX / 2, 3) == NULL);
    assert(reallocarray(NULL, SIZE_MAX / 2, 3) == NULL);
    char *fresh = realloc(NULL, 8);
    assert(malloc_usable_size(fresh) >= 8);
    free(fresh);
    free(NULL);
    errno = 0;
    assert(malloc(SIZE_MAX / 2) == NULL && errno == ENOMEM);
    errno = 0;
    assert(calloc(1, SIZE_MAX) == NULL && errno == ENOMEM);
    assert(posix_memalign(&block, 8, SIZE_MAX / 2) == ENOMEM &&
           posix_memalign(&block, 3, 8) == EINVAL);
    char *nothing = malloc(0), *other = malloc(0);
    assert(nothing && other && nothing != other);
    free(nothing);
    free(other);
    for (int i = 0; i < 1000; i++)
        free(malloc(24));
    char *copy = strdup("hello");
    char *start = strndup(copy, 4);
    assert(same(copy, "hello") && same(start, "hell"));
    free(start);
    free(copy);

    pthread_join(thread, NULL);
    return 0;
}
