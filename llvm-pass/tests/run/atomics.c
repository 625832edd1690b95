// Every atomic operation of each width, with results.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ALL(name, type)                                                                            \
    _Atomic type name;                                                                             \
    type plain_##name = 100;                                                                       \
    static void test_##name(void) {                                                                \
        long r[32];                                                                                \
        int n = 0;                                                                                 \
        atomic_init(&name, (type)-7);                                                              \
        r[n++] = name;                                                                             \
        r[n++] = atomic_fetch_add(&name, 10);                                                      \
        r[n++] = atomic_fetch_sub_explicit(&name, 200, memory_order_relaxed);                      \
        r[n++] = atomic_fetch_and_explicit(&name, 0x7f, memory_order_acquire);                     \
        r[n++] = atomic_fetch_or(&name, 0x18);                                                     \
        r[n++] = atomic_fetch_xor(&name, 0x55);                                                    \
        r[n++] = atomic_exchange(&name, (type)-3);                                                 \
        r[n++] = name++;                                                                           \
        r[n++] = --name;                                                                           \
        r[n++] = name *= 5;                                                                        \
        r[n++] = __atomic_fetch_nand(&plain_##name, 0x0f, __ATOMIC_SEQ_CST);                       \
        r[n++] = __atomic_nand_fetch(&plain_##name, 0x33, __ATOMIC_SEQ_CST);                       \
        r[n++] = __atomic_fetch_max(&plain_##name, 5, __ATOMIC_RELAXED);                           \
        r[n++] = __atomic_fetch_min(&plain_##name, 3, __ATOMIC_RELAXED);                           \
        r[n++] = __sync_add_and_fetch(&plain_##name, 4);                                           \
        r[n++] = __sync_val_compare_and_swap(&plain_##name, 7, 8);                                 \
        r[n++] = plain_##name;                                                                     \
        type expected = 1;                                                                         \
        r[n++] = atomic_compare_exchange_strong(&name, &expected, 9);                              \
        r[n++] = expected;                                                                         \
        r[n++] = atomic_compare_exchange_weak(&name, &expected, 9);                                \
        r[n++] = atomic_load_explicit(&name, memory_order_acquire);                                \
        atomic_store_explicit(&name, 77, memory_order_release);                                    \
        r[n++] = name;                                                                             \
        printf(#name ":");                                                                         \
        for (int i = 0; i < n; i++)                                                                \
            printf(" %ld", r[i]);                                                                  \
        printf("\n");                                                                              \
    }

ALL(s1, int8_t)
ALL(s2, int16_t)
ALL(s4, int32_t)
ALL(s8, int64_t)
ALL(u1, uint8_t)
ALL(u2, uint16_t)
ALL(u4, uint32_t)
ALL(u8, uint64_t)

_Atomic(int *) ap;
_Atomic bool ab;
_Atomic double ad = 1.5;
_Atomic float af;
struct pair { int a, b; };
_Atomic struct pair apair;
int cells[4] = {1, 2, 3, 4};
atomic_flag lock = ATOMIC_FLAG_INIT;

int main(void) {
    test_s1(), test_s2(), test_s4(), test_s8(), test_u1(), test_u2(), test_u4(), test_u8();
    ap = cells;
    ap++;
    int *old = atomic_exchange(&ap, &cells[3]);
    int *expected = cells;
    bool done = atomic_compare_exchange_strong(&ap, &expected, cells);
    printf("%d %d %d %d\n", *old, *ap, done, *expected);
    ab = 3;
    ab ^= 1;
    ad *= 2;
    ad += 0.25;
    af = 2.5f;
    printf("%d %g %g\n", ab, ad, af);
    struct pair two = {3, 4};
    apair = two;
    struct pair back = apair;
    struct pair wrong = {0, 0};
    done = atomic_compare_exchange_strong(&apair, &wrong, two);
    printf("%d %d %d %d\n", back.a, back.b, done, wrong.b);
    printf("%d", atomic_flag_test_and_set(&lock));
    printf("%d", atomic_flag_test_and_set(&lock));
    atomic_flag_clear(&lock);
    printf("%d\n", atomic_flag_test_and_set(&lock));
    atomic_thread_fence(memory_order_seq_cst);
    asm volatile("mfence" ::: "memory");
    __sync_synchronize();
}
