// What goes through wrappers computes what it did.
#undef NDEBUG
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct pair { uint64_t low, high; };
struct pair pair __attribute__((aligned(16))) = {1, 2};
int words[4] = {1, 2, 3, 4};
_Atomic int atomic = 5;
double real = 0.5;

static int get(const int *from, long index) { return from[index]; }
static void put(int *to, int value) { *to = value; }
static int *back(int *to, int value) { *to = value; return to + 1; }
static int chosen(int *one, int *other, int which) { return *(which ? one : other); }
static double get_real(const double *from) { return *from; }
static void copy(void *to, const void *from, size_t length) { memcpy(to, from, length); }
static inline _Bool swap(_Atomic int *at, int *expected, int desired) {
    return atomic_compare_exchange_strong(at, expected, desired);
}
static inline int swapped(_Atomic int *at, int expected, int desired) {
    swap(at, &expected, desired);
    return expected;
}
static int add(int *to, int value) {
    __asm__ volatile("lock; xaddl %0, %1" : "+r"(value), "+m"(*to) : : "memory", "cc");
    return value;
}
static inline __attribute__((always_inline)) void get_pair(struct pair *from, uint64_t into[2]) {
    __asm__ volatile("movq %%rdx, %%rcx; movq %%rax, %%rbx; lock cmpxchg16b %2"
                     : "=a"(into[0]), "=d"(into[1])
                     : "m"(*from)
                     : "rbx", "rcx", "memory", "cc");
}
static inline __attribute__((always_inline)) int many(int *from, int how_many) {
    int sum = 0;
    for (int i = 0; i < how_many; i++)
        sum += get(from, i);
    return sum;
}
static inline __attribute__((always_inline)) int countdown(int *from) {
    return *from > 0 ? (--*from, countdown(from) + 1) : 0;
}
static inline __attribute__((always_inline)) int returns(const int *from) {
    if (*from == 1)
        return 10;
    if (*from == 2)
        return 20;
    return 30;
}
static int wait(_Atomic int *until) {
    int seen;
    while ((seen = atomic_load(until)) == 0)
        ;
    return seen;
}

int main(void) {
    put(&words[1], 20);
    int *next = back(words, 10);
    uint64_t both[2];
    get_pair(&pair, both);
    int (*volatile pointer)(const int *, long) = get;
    printf("%d %d %d %d\n", get(words, 0), *next, chosen(words, words + 1, 0), pointer(words, 3));
    printf("%d %d %d\n", swapped(&atomic, 4, 6), swapped(&atomic, 5, 7), wait(&atomic)); //> visits E
    printf("%d %d\n", add(&words[2], 30), words[2]);
    printf("%lu %lu %g\n", both[0], both[1], get_real(&real));
    int own[4];
    copy(own, words, sizeof own);
    printf("%d %d %d\n", many(own, 4), many(words, 3), returns(words + 3));
    int left = 3;
    int counted = countdown(&left);
    printf("%d %d\n", counted, left);
    for (int i = 0; i < 3; i++)
        put(&words[i], i + get(&words[i], 1));
    printf("%d %d %d\n", words[0], words[1], words[2]);
    return 0;
}
