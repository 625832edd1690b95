// C11 atomics of each width, operation and order, and the __sync functions.
#include <stdatomic.h>
#include <stdbool.h>
_Atomic char a1;
_Atomic short a2;
_Atomic int a4;
_Atomic long a8;
_Atomic(void *) ap;
_Atomic unsigned au;
_Atomic bool ab;
_Atomic double ad;
_Atomic float af;
struct pair { int a, b; };
_Atomic struct pair apair;
int plain;
unsigned whole;
atomic_flag flag;
_Atomic unsigned __int128 huge;
unsigned __int128 plain16;
struct big { long a, b, c; };
_Atomic struct big big;
struct big expected;

void loads(void) {
    int x = a4; //> atomic_load4 seq_cst a4
    x = atomic_load_explicit(&a1, memory_order_relaxed); //> atomic_load1 relaxed a1
    x = atomic_load_explicit(&a2, memory_order_acquire); //> atomic_load2 acquire a2
    x = atomic_load_explicit(&a8, memory_order_consume); //> atomic_load8 acquire a8
    void *p = ap; //> atomic_load8 seq_cst ap
    double d = ad; //> atomic_load8 seq_cst ad
    bool b = ab; //> atomic_load1 seq_cst ab
}

void stores(void) {
    a4 = 1; //> atomic_store4 seq_cst a4
    atomic_store_explicit(&a1, 2, memory_order_relaxed); //> atomic_store1 relaxed a1
    atomic_store_explicit(&a2, 3, memory_order_release); //> atomic_store2 release a2
    atomic_store(&a8, 4); //> atomic_store8 seq_cst a8
    ap = &plain; //> atomic_store8 seq_cst ap
    af = 1.5f; //> atomic_store4 seq_cst af
    atomic_init(&a4, 5); //> store4 a4
}

void operations(void) {
    a4++; //> rmw4 add seq_cst a4
    a4 -= 2; //> rmw4 sub seq_cst a4
    atomic_fetch_add_explicit(&a1, 1, memory_order_relaxed); //> rmw1 add relaxed a1
    atomic_fetch_sub_explicit(&a2, 1, memory_order_acquire); //> rmw2 sub acquire a2
    atomic_fetch_or_explicit(&a8, 1, memory_order_release); //> rmw8 or release a8
    atomic_fetch_and_explicit(&a4, 1, memory_order_acq_rel); //> rmw4 and acq_rel a4
    atomic_fetch_xor(&a4, 1); //> rmw4 xor seq_cst a4
    __atomic_fetch_nand(&plain, 1, __ATOMIC_SEQ_CST); //> rmw4 nand seq_cst plain
    __atomic_fetch_max(&plain, 1, __ATOMIC_RELAXED); //> rmw4 max relaxed plain
    __atomic_fetch_min(&whole, 1, __ATOMIC_RELAXED); //> rmw4 umin relaxed whole
    atomic_exchange(&ap, 0); //> rmw8 exchange seq_cst ap
    atomic_flag_test_and_set_explicit(&flag, memory_order_acquire); //> rmw1 exchange acquire flag
    atomic_flag_clear(&flag); //> atomic_store1 seq_cst flag
    __sync_fetch_and_add(&plain, 1); //> rmw4 add seq_cst plain
    __sync_lock_test_and_set(&plain, 1); //> rmw4 exchange seq_cst plain
    __sync_lock_release(&plain); //> atomic_store4 release plain
}

int exchanges(int wanted) {
    int expected = 0;
    atomic_compare_exchange_strong(&a4, &expected, 1); //> cas4 seq_cst seq_cst a4
    atomic_compare_exchange_weak_explicit(&a4, &expected, 1, memory_order_acq_rel, memory_order_relaxed); //> weak_cas4 acq_rel relaxed a4
    void *null = 0;
    atomic_compare_exchange_strong_explicit(&ap, &null, &plain, memory_order_release, memory_order_relaxed); //> cas8 release relaxed ap
    char one = 1;
    atomic_compare_exchange_strong(&a1, &one, 2); //> cas1 seq_cst seq_cst a1
    return expected + __sync_bool_compare_and_swap(&plain, 1, 2); //> cas4 seq_cst seq_cst plain
}

void fences(void) {
    atomic_thread_fence(memory_order_seq_cst); //> fence seq_cst
    atomic_thread_fence(memory_order_acquire); //> fence acquire
    atomic_thread_fence(memory_order_release); //> fence release
    atomic_thread_fence(memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    __sync_synchronize(); //> fence seq_cst
    __builtin_ia32_mfence(); //> fence seq_cst
    __builtin_ia32_sfence(); //> fence stores
    __builtin_ia32_lfence(); //> fence instructions
    asm volatile("mfence" ::: "memory"); //> fence seq_cst
    asm volatile("" ::: "memory");
    __builtin_ia32_pause();
}

void structs(void) {
    struct pair two = {1, 2};
    apair = two; //> atomic_store8 seq_cst apair
    two = apair; //> atomic_load8 seq_cst apair
    plain = two.a; //> store4 plain
}

// Without -mcx16 clang calls the atomic library for loads and stores of 16 bytes; a struct of 24 always needs it.
void wide(int order) {
    huge = 1; //> atomic_write 16 seq_cst huge
    unsigned __int128 local = huge; //> atomic_read 16 seq_cst huge
    huge++; //> atomic_rmw 16 add seq_cst huge
    __atomic_fetch_nand(&plain16, local, __ATOMIC_RELEASE); //> atomic_rmw 16 nand release plain16
    __sync_val_compare_and_swap(&plain16, 1, 2); //> atomic_cas 16 seq_cst seq_cst plain16
    atomic_compare_exchange_weak_explicit(&huge, &local, 2, memory_order_acquire, memory_order_relaxed); //> atomic_cas 16 acquire relaxed weak huge
    struct big three = big; //> atomic_read 24 seq_cst big
    atomic_store_explicit(&big, three, memory_order_release); //> atomic_write 24 release big
    three = atomic_exchange_explicit(&big, three, memory_order_relaxed); //> atomic_rmw 24 exchange relaxed big
    atomic_compare_exchange_strong(&big, &three, three); //> atomic_cas 24 seq_cst seq_cst big
    // What is compared with is shared here: read before, and written where the comparison fails.
    atomic_compare_exchange_strong(&big, &expected, three); //> atomic_cas 24 seq_cst seq_cst big; read 24 big; write 24 big
    plain = atomic_is_lock_free(&big); //> store4 plain
}

void floats(void) {
    ad++; //> rmw8 fadd seq_cst ad
    af--; //> rmw4 fsub seq_cst af
}

void private(void) {
    _Atomic int own = 1;
    own++;
    atomic_fetch_add(&own, 2);
}
