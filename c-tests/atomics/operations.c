//@ why: Each operation of each width gives the old value and leaves the new one, with the
//@      wrap-around of its width, as C11 7.17.7 says; one thread, so one execution.
//@ verdict: clean
//@ executions: 1
//@ run: -DTYPE=uint8_t
//@ run: -DTYPE=uint16_t
//@ run: -DTYPE=uint32_t
//@ run: -DTYPE=uint64_t
//@ run: -DTYPE=int8_t
//@ run: -DTYPE=int64_t
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef TYPE value;

_Atomic(value) x;
value plain;
atomic_flag flag = ATOMIC_FLAG_INIT;

int main(void) {
    const value all = (value)-1;
    atomic_store(&x, all);
    assert(atomic_fetch_add(&x, 3) == all);
    assert(atomic_load(&x) == 2);
    assert(atomic_fetch_sub(&x, 4) == 2);
    assert(atomic_load_explicit(&x, memory_order_acquire) == (value)-2);
    assert(atomic_fetch_and_explicit(&x, 0x5c, memory_order_relaxed) == (value)-2);
    assert(atomic_fetch_or_explicit(&x, 0x03, memory_order_release) == 0x5c);
    assert(atomic_fetch_xor_explicit(&x, 0x55, memory_order_acq_rel) == 0x5f);
    assert(atomic_exchange(&x, 0x70) == 0x0a);
    x += 2;
    x ^= 1;
    assert(x-- == 0x73);
    assert(++x == 0x73);

    value expected = 0x10;
    assert(!atomic_compare_exchange_strong(&x, &expected, 5));
    assert(expected == 0x73 && x == 0x73);
    assert(atomic_compare_exchange_strong_explicit(&x, &expected, 5, memory_order_release,
                                                   memory_order_relaxed));
    assert(expected == 0x73 && x == 5);
    while (!atomic_compare_exchange_weak(&x, &expected, 6))
        ;
    assert(expected == 5 && x == 6);

    assert(__atomic_fetch_nand(&plain, 3, __ATOMIC_SEQ_CST) == 0);
    assert(plain == all);
    assert(__sync_val_compare_and_swap(&plain, all, 9) == all);
    assert(__sync_add_and_fetch(&plain, 1) == 10);
    assert(__atomic_fetch_min(&plain, 4, __ATOMIC_RELAXED) == 10 && plain == 4);
    assert(__atomic_fetch_max(&plain, 100, __ATOMIC_RELAXED) == 4 && plain == 100);
    assert(__sync_lock_test_and_set(&plain, 1) == 100 && plain == 1);
    __sync_lock_release(&plain);
    assert(plain == 0);

    assert(!atomic_flag_test_and_set(&flag));
    assert(atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
    atomic_flag_clear(&flag);
    assert(!atomic_flag_test_and_set(&flag));
    return 0;
}
