//@ why: A function that nobody looks into reads and writes memory unseen. What that comes to is
//@      known where the thread alone accesses the memory; where others do, how the function's
//@      accesses are ordered with theirs is not known, nor is what one sees that it calls back, or
//@      that keeps the pointer. Once the other thread is joined, all is known.
//@ verdict: unsupported
//@ uninstrumented: wcstombs
//@ run: -DSHARED --model tso
//@ unsupported: wcstombs memory that others can see, passed to a function that is neither
//@      modelled nor instrumented under --model tso
//@ run: -DLOCAL --model sc --explorer rsmc
//@ unsupported: local memory that others can see, passed to a function that is neither modelled
//@      nor instrumented under --explorer rsmc
//@ run: -DCALLS_BACK --model tso
//@ unsupported: call-back an access during a call of a function that is neither modelled nor
//@      instrumented, and was passed memory under --model tso
//@ uninstrumented: lfind
//@ run: -DKEEPS --model tso
//@ unsupported: keep open_memstream under --model tso
//@ uninstrumented: open_memstream
//@ run: --model tso
//@ verdict: clean
//@ executions: 1
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

static char shared[4];

#ifdef CALLS_BACK
static int compare(const void *one, const void *other) {
    return *(const int *)one - *(const int *)other; // @call-back
}
#endif

static void *thread(void *local) {
#ifdef LOCAL
    ((char *)local)[3] = 'z'; // @local
#else
    ((char *)local)[0] = 'z';
#endif
    return NULL;
}

int main(void) {
    pthread_t id;
    char local[4] = "", other[4] = "";
#ifdef LOCAL
    pthread_create(&id, NULL, thread, local);
    assert(wcstombs(local, L"ab", 3) == 2);
#else
    pthread_create(&id, NULL, thread, other);
#endif
#if defined SHARED
    assert(wcstombs(shared, L"ab", 3) == 2); // @wcstombs
#elif defined CALLS_BACK
    static int numbers[2] = {1, 2};
    pthread_join(id, NULL);
    size_t count = 2;
    assert(lfind(numbers, numbers, &count, sizeof *numbers, compare) == numbers);
#elif defined KEEPS
    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length); // @keep
    fclose(file);
#endif
    pthread_join(id, NULL);
    assert(wcstombs(shared, L"cd", 3) == 2 && shared[1] == 'd');
    assert(wcstombs(other + 1, L"e", 2) == 1 && other[0] == 'z' && other[1] == 'e');
    return local[0] != 0;
}
