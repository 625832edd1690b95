//@ why: A thread makes an object and then says so in a flag; who sees the flag uses the
//@      object. That is message passing, with the making as the store of the message. It is in
//@      order if the flag is a release, or stored behind a release fence, and seen by an
//@      acquire, or by a load before an acquire fence, through a read-modify-write of a third
//@      thread as well (C11, 7.17.3 and 7.17.4). Without the release ARM, POWER, RISC-V and
//@      PSO have the use before the making, x86 has not (McKenney, "Memory Ordering in Modern
//@      Microprocessors", Linux Journal 2005); to C11 the object is made by whoever comes
//@      later, whatever machine it is. Mutexes and spin locks are asked of C11 alone where
//@      something is missing: see docs/limits.md.
//@ run: -DMUTEX -DFENCED -DSEE=acquire -DSAY=relaxed --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DMUTEX -DFENCED -DSEE=acquire -DSAY=relaxed --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DMUTEX -DFENCED -DSEE=acquire -DSAY=relaxed --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DMUTEX -DFENCED -DSEE=acquire -DSAY=relaxed --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DMUTEX -DSAY=release -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DMUTEX -DFENCED -DSAY=relaxed -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DMUTEX -DFENCED -DSAY=relaxed -DSEE=acquire -DHANDED_ON --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DMUTEX -DSAY=relaxed -DSEE=acquire --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: make use
//@ run: -DMUTEX -DSAY=release -DSEE=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: make use
//@ run: -DSPIN_LOCK -DFENCED -DSEE=acquire -DSAY=relaxed --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DSPIN_LOCK -DFENCED -DSEE=acquire -DSAY=relaxed --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DSPIN_LOCK -DFENCED -DSEE=acquire -DSAY=relaxed --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DSPIN_LOCK -DFENCED -DSEE=acquire -DSAY=relaxed --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSPIN_LOCK -DSAY=release -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSPIN_LOCK -DFENCED -DSAY=relaxed -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSPIN_LOCK -DFENCED -DSAY=relaxed -DSEE=acquire -DHANDED_ON --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSPIN_LOCK -DSAY=relaxed -DSEE=acquire --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use
//@ run: -DSPIN_LOCK -DSAY=release -DSEE=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use
//@ run: -DRWLOCK -DFENCED -DSEE=acquire -DSAY=relaxed --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DRWLOCK -DFENCED -DSEE=acquire -DSAY=relaxed --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DRWLOCK -DFENCED -DSEE=acquire -DSAY=relaxed --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DRWLOCK -DFENCED -DSEE=acquire -DSAY=relaxed --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DRWLOCK -DSAY=release -DSEE=relaxed -DSEEN_FENCED --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DRWLOCK -DSAY=release -DSEE=relaxed -DSEEN_FENCED --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DRWLOCK -DSAY=release -DSEE=relaxed -DSEEN_FENCED --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DRWLOCK -DSAY=release -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DRWLOCK -DFENCED -DSAY=relaxed -DSEE=relaxed -DSEEN_FENCED --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DRWLOCK -DFENCED -DSAY=relaxed -DSEE=relaxed -DSEEN_FENCED --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DRWLOCK -DFENCED -DSAY=relaxed -DSEE=relaxed -DSEEN_FENCED --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DRWLOCK -DFENCED -DSAY=relaxed -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DRWLOCK -DFENCED -DSAY=relaxed -DSEE=acquire -DHANDED_ON --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DRWLOCK -DFENCED -DSAY=relaxed -DSEE=acquire -DHANDED_ON --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DRWLOCK -DFENCED -DSAY=relaxed -DSEE=acquire -DHANDED_ON --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DRWLOCK -DFENCED -DSAY=relaxed -DSEE=acquire -DHANDED_ON --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DRWLOCK -DSAY=relaxed -DSEE=acquire --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DRWLOCK -DSAY=relaxed -DSEE=acquire --model pso
//@ verdict: violations
//@ models: pso breaks
//@ misuse: make use
//@ run: -DRWLOCK -DSAY=relaxed -DSEE=acquire --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ misuse: make use
//@ run: -DRWLOCK -DSAY=relaxed -DSEE=acquire --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ misuse: make use
//@ run: -DRWLOCK -DSAY=relaxed -DSEE=acquire --model power
//@ verdict: violations
//@ models: power breaks
//@ misuse: make use
//@ run: -DRWLOCK -DSAY=relaxed -DSEE=acquire --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: make use
//@ run: -DRWLOCK -DSAY=release -DSEE=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: make use
//@ run: -DCONDITION -DFENCED -DSEE=acquire -DSAY=relaxed --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DCONDITION -DFENCED -DSEE=acquire -DSAY=relaxed --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DCONDITION -DFENCED -DSEE=acquire -DSAY=relaxed --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DCONDITION -DFENCED -DSEE=acquire -DSAY=relaxed --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DCONDITION -DSAY=release -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DCONDITION -DFENCED -DSAY=relaxed -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DCONDITION -DFENCED -DSAY=relaxed -DSEE=acquire -DHANDED_ON --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DCONDITION -DSAY=relaxed -DSEE=acquire --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DCONDITION -DSAY=relaxed -DSEE=acquire --model pso
//@ verdict: violations
//@ models: pso breaks
//@ misuse: make use
//@ run: -DCONDITION -DSAY=relaxed -DSEE=acquire --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ misuse: make use
//@ run: -DCONDITION -DSAY=relaxed -DSEE=acquire --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ misuse: make use
//@ run: -DCONDITION -DSAY=relaxed -DSEE=acquire --model power
//@ verdict: violations
//@ models: power breaks
//@ misuse: make use
//@ run: -DCONDITION -DSAY=relaxed -DSEE=acquire --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: make use
//@ run: -DCONDITION -DSAY=release -DSEE=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: make use
//@ run: -DSEMAPHORE -DFENCED -DSEE=acquire -DSAY=relaxed --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DSEMAPHORE -DFENCED -DSEE=acquire -DSAY=relaxed --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DSEMAPHORE -DFENCED -DSEE=acquire -DSAY=relaxed --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DSEMAPHORE -DFENCED -DSEE=acquire -DSAY=relaxed --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSEMAPHORE -DSAY=release -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSEMAPHORE -DFENCED -DSAY=relaxed -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSEMAPHORE -DFENCED -DSAY=relaxed -DSEE=acquire -DHANDED_ON --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSEMAPHORE -DSAY=relaxed -DSEE=acquire --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DSEMAPHORE -DSAY=relaxed -DSEE=acquire --model pso
//@ verdict: violations
//@ models: pso breaks
//@ misuse: use
//@ run: -DSEMAPHORE -DSAY=relaxed -DSEE=acquire --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ misuse: use
//@ run: -DSEMAPHORE -DSAY=relaxed -DSEE=acquire --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ misuse: use
//@ run: -DSEMAPHORE -DSAY=relaxed -DSEE=acquire --model power
//@ verdict: violations
//@ models: power breaks
//@ misuse: use
//@ run: -DSEMAPHORE -DSAY=relaxed -DSEE=acquire --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use
//@ run: -DSEMAPHORE -DSAY=release -DSEE=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use
//@ run: -DBARRIER -DFENCED -DSEE=acquire -DSAY=relaxed --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DBARRIER -DFENCED -DSEE=acquire -DSAY=relaxed --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DBARRIER -DFENCED -DSEE=acquire -DSAY=relaxed --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DBARRIER -DFENCED -DSEE=acquire -DSAY=relaxed --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DBARRIER -DSAY=release -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DBARRIER -DFENCED -DSAY=relaxed -DSEE=relaxed -DSEEN_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DBARRIER -DFENCED -DSAY=relaxed -DSEE=acquire -DHANDED_ON --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DBARRIER -DSAY=relaxed -DSEE=acquire --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DBARRIER -DSAY=relaxed -DSEE=acquire --model pso
//@ verdict: violations
//@ models: pso breaks
//@ misuse: use
//@ run: -DBARRIER -DSAY=relaxed -DSEE=acquire --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ misuse: use
//@ run: -DBARRIER -DSAY=relaxed -DSEE=acquire --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ misuse: use
//@ run: -DBARRIER -DSAY=relaxed -DSEE=acquire --model power
//@ verdict: violations
//@ models: power breaks
//@ misuse: use
//@ run: -DBARRIER -DSAY=relaxed -DSEE=acquire --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use
//@ run: -DBARRIER -DSAY=release -DSEE=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#define ORDER_OF(name) memory_order_##name
#define ORDER(name) ORDER_OF(name)

#if defined SEMAPHORE
static sem_t object;
#define MAKE() sem_init(&object, 0, 1)
#define USE() sem_wait(&object)
#elif defined RWLOCK
static pthread_rwlock_t object;
#define MAKE() pthread_rwlock_init(&object, 0)
#define USE() pthread_rwlock_rdlock(&object)
#elif defined CONDITION
static pthread_cond_t object;
#define MAKE() pthread_cond_init(&object, 0)
#define USE() pthread_cond_signal(&object)
#elif defined BARRIER
static pthread_barrier_t object;
#define MAKE() pthread_barrier_init(&object, 0, 1)
#define USE() pthread_barrier_wait(&object)
#elif defined SPIN_LOCK
static pthread_spinlock_t object;
#define MAKE() pthread_spin_init(&object, PTHREAD_PROCESS_PRIVATE)
#define USE() pthread_spin_lock(&object)
#else
static pthread_mutex_t object;
#define MAKE() pthread_mutex_init(&object, 0)
#define USE() pthread_mutex_lock(&object)
#endif

static atomic_int said;

static void *maker(void *unused) {
    MAKE(); // @make
#ifdef FENCED
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&said, 1, ORDER(SAY));
    return unused;
}

#ifdef HANDED_ON
enum { WANTED = 2 };

static void *between(void *unused) {
    int expected = 1;
    atomic_compare_exchange_strong_explicit(&said, &expected, 2, memory_order_relaxed,
                                            memory_order_relaxed);
    return unused;
}
#else
enum { WANTED = 1 };
#endif

static void *user(void *unused) {
    if (atomic_load_explicit(&said, ORDER(SEE)) != WANTED)
        return unused;
#ifdef SEEN_FENCED
    atomic_thread_fence(memory_order_acquire);
#endif
    USE(); // @use
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, maker, 0);
    pthread_create(&b, 0, user, 0);
#ifdef HANDED_ON
    pthread_t c;
    pthread_create(&c, 0, between, 0);
    pthread_join(c, 0);
#endif
    pthread_join(a, 0);
    pthread_join(b, 0);
}
