//@ why: What a call writes through a pointer the thread reads afterwards, as in C, whichever way
//@      threads are run: each of these variables is known to others, so that all accesses are
//@      watched, and the C library, which is not instrumented, or the runtime in its place writes
//@      to it. The other thread touches none of them: under every model each read has one store to
//@      read from, and the one execution fails no assertion. (Each part by itself: another one's
//@      local variables lie in the same memory, in other pieces.)
//@ verdict: clean
//@ executions: 1
//@ run: -DNUMBERS --model tso
//@ run: -DTEXT --model tso
//@ uninstrumented: mbsrtowcs wcstombs
//@ run: -DTEXT --model c11
//@ uninstrumented: mbsrtowcs wcstombs
//@ run: -DFILES --model tso
//@ uninstrumented: pipe read readv write
//@ run: -DFILES --model armv8
//@ uninstrumented: pipe read readv write
//@ run: -DNUMBERS --model armv8
//@ run: -DTHREADS --model tso
//@ run: -DTHREADS --model c11
//@ run: -DATTRIBUTES --model tso
//@ run: -DATTRIBUTES --model armv8
//@ run: -DSORTED --model tso
//@ run: -DSORTED --model c11
//@ run: -DTEXT --explorer rsmc --model sc
//@ uninstrumented: mbsrtowcs wcstombs
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

void *volatile known;

#define KNOWN(variable) known = (void *)&(variable)

#if defined TEXT
static void part(void) {
    char bytes[6] = "other";
    KNOWN(bytes);
    assert(wcstombs(bytes, L"ab", 2) == 2); // Behind the second one they stay as they are.
    assert(!memcmp(bytes, "abher", 6));
    mbstate_t state = {0};
    const char *from = "xy";
    wchar_t wide[3];
    KNOWN(from);
    KNOWN(wide);
    assert(mbsrtowcs(wide, &from, 3, &state) == 2 && !from && wide[1] == L'y');
}
#elif defined FILES
static void part(void) {
    int ends[2];
    char first[3], second[5];
    struct iovec parts[2] = {{first, 2}, {second, 3}};
    KNOWN(ends);
    KNOWN(first);
    KNOWN(second);
    KNOWN(parts);
    first[2] = second[3] = '!';
    assert(pipe(ends) == 0 && write(ends[1], "abcdefg", 7) == 7);
    assert(readv(ends[0], parts, 2) == 5 && first[1] == 'b' && second[2] == 'e');
    assert(read(ends[0], second, 2) == 2 && second[1] == 'g' && second[2] == 'e');
    assert(first[2] == '!' && second[3] == '!');
    close(ends[0]);
    close(ends[1]);
}
#elif defined NUMBERS
static void part(void) {
    double whole;
    int exponent = -1;
    KNOWN(whole);
    KNOWN(exponent);
    assert(modf(2.5, &whole) == 0.5 && whole == 2);
    assert(frexp(8, &exponent) == 0.5 && exponent == 4);
}
#elif defined THREADS
static void part(void) {
    sem_t semaphore;
    pthread_key_t key = 77;
    sigset_t pending;
    int value = 0, state = 77;
    char name[16] = "me";
    KNOWN(key);
    KNOWN(pending);
    KNOWN(value);
    KNOWN(state);
    KNOWN(name);
    assert(sem_init(&semaphore, 0, 3) == 0 && sem_getvalue(&semaphore, &value) == 0 && value == 3);
    assert(pthread_key_create(&key, NULL) == 0 && key != 77);
    assert(pthread_setspecific(key, name) == 0 && pthread_getspecific(key) == name);
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state) == 0);
    assert(state == PTHREAD_CANCEL_ENABLE);
    assert(pthread_setname_np(pthread_self(), name) == 0);
    name[0] = 'h';
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && !strcmp(name, "me"));
    sigfillset(&pending);
    assert(sigpending(&pending) == 0 && !sigismember(&pending, SIGUSR1));
}
#elif defined ATTRIBUTES
static void part(void) {
    static pthread_mutexattr_t attributes;
    static pthread_mutex_t mutex;
    static struct timespec soon;
    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(pthread_mutex_init(&mutex, &attributes) == 0);
    assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == 0);
    sem_t none;
    assert(sem_init(&none, 0, 0) == 0 && clock_gettime(CLOCK_REALTIME, &soon) == 0);
    soon.tv_nsec = 1000000000;
    assert(sem_timedwait(&none, &soon) == -1 && errno == EINVAL);
    soon.tv_nsec = 1;
    assert(sem_timedwait(&none, &soon) == -1 && errno == ETIMEDOUT);
}
#elif defined SORTED
static int compare(const void *one, const void *other) {
    return *(const int *)one - *(const int *)other;
}

static void part(void) {
    int numbers[3] = {3, 1, 2}; // Nobody knows them but the functions that are passed them.
    qsort(numbers, 3, sizeof *numbers, compare);
    assert(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
    assert(bsearch(&numbers[2], numbers, 3, sizeof *numbers, compare) == &numbers[2]);
}
#endif

static int flag;

static void *other(void *unused) {
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef ATTRIBUTES
    part();
#endif
    pthread_create(&thread, NULL, other, NULL);
#ifndef ATTRIBUTES
    part();
#endif
    pthread_join(thread, NULL);
    return 0;
}
