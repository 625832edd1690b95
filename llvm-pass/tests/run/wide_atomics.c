// Atomics of 3, 12, 16 and 24 bytes, with results; and floating-point ones.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// What pads an atomic of 3 bytes to 4 has no value of its own, so these are not compared.
#define PADDED(type, name, ...)                                                                    \
    static void test_##name(void) {                                                                \
        static _Atomic type x;                                                                     \
        type a = {__VA_ARGS__}, b;                                                                 \
        memset(&b, 7, sizeof b);                                                                   \
        atomic_store(&x, a);                                                                       \
        type old = atomic_exchange_explicit(&x, b, memory_order_acq_rel);                          \
        type now = atomic_load_explicit(&x, memory_order_acquire);                                 \
        printf(#name " %d %d\n", memcmp(&old, &a, sizeof a), memcmp(&now, &b, sizeof a));          \
    }

#define SIZES(type, name, ...)                                                                     \
    static void test_##name(void) {                                                                \
        static _Atomic type x;                                                                     \
        static type shared;                                                                        \
        type a = {__VA_ARGS__}, b;                                                                 \
        memset(&b, 7, sizeof b);                                                                   \
        atomic_store(&x, a);                                                                       \
        type old = atomic_exchange_explicit(&x, b, memory_order_acq_rel);                          \
        bool first = atomic_compare_exchange_strong(&x, &shared, a);                               \
        bool second = atomic_compare_exchange_strong(&x, &shared, a);                              \
        type now = atomic_load_explicit(&x, memory_order_acquire);                                 \
        printf(#name " %d %d %d %d %d\n", first, second, memcmp(&old, &a, sizeof a),               \
               memcmp(&shared, &b, sizeof b), memcmp(&now, &a, sizeof a));                         \
    }

typedef struct { char c[3]; } three;
typedef struct { int i[3]; } twelve;
typedef struct { long l[2]; } sixteen;
typedef struct { long l[3]; } twenty_four;
PADDED(three, three, {1, 2, 3})
PADDED(twelve, twelve, {1, 2, 3})
SIZES(sixteen, sixteen, {1, 2})
SIZES(twenty_four, twenty_four, {1, 2, 3})

_Atomic unsigned __int128 number;
_Atomic double real = 1;
_Atomic float single = 1;

int main(void) {
    test_three();
    test_twelve();
    test_sixteen();
    test_twenty_four();
    number = ~(unsigned __int128)0;
    unsigned __int128 old = number++;
    number += (unsigned __int128)5 << 64;
    unsigned __int128 expected = (unsigned __int128)5 << 64;
    bool same = atomic_compare_exchange_strong(&number, &expected, 3);
    printf("%d %d %lx\n", same, old == ~(unsigned __int128)0, (long)number);
    real++;
    real -= 0.5;
    single--;
    printf("%g %g\n", real, (double)single);
    return 0;
}
