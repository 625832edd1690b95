/* Two threads count under a lock of Concurrency Kit, which -DLOCK=ticket and the like choose. */
#include <assert.h>
#include <ck_spinlock.h>
#include <pthread.h>

#define JOIN(a, b, c) a##b##c
#define NAME(a, b, c) JOIN(a, b, c)

#if defined(MCS)
static ck_spinlock_mcs_t lock = CK_SPINLOCK_MCS_INITIALIZER;
#define ENTER(number)                                                                              \
    ck_spinlock_mcs_context_t node;                                                                \
    ck_spinlock_mcs_lock(&lock, &node)
#define LEAVE() ck_spinlock_mcs_unlock(&lock, &node)
#define PREPARE()
#elif defined(CLH)
static ck_spinlock_clh_t first, nodes[2], *lock;
#define ENTER(number)                                                                              \
    ck_spinlock_clh_t *node = &nodes[number];                                                      \
    ck_spinlock_clh_lock(&lock, node)
#define LEAVE() ck_spinlock_clh_unlock(&node)
#define PREPARE() ck_spinlock_clh_init(&lock, &first)
#elif defined(ANDERSON)
static ck_spinlock_anderson_t lock;
static ck_spinlock_anderson_thread_t slots[2];
#define ENTER(number)                                                                              \
    ck_spinlock_anderson_thread_t *slot;                                                           \
    ck_spinlock_anderson_lock(&lock, &slot)
#define LEAVE() ck_spinlock_anderson_unlock(&lock, slot)
#define PREPARE() ck_spinlock_anderson_init(&lock, slots, 2)
#else
static NAME(ck_spinlock_, LOCK, _t) lock;
#define ENTER(number) NAME(ck_spinlock_, LOCK, _lock)(&lock)
#define LEAVE() NAME(ck_spinlock_, LOCK, _unlock)(&lock)
#define PREPARE() NAME(ck_spinlock_, LOCK, _init)(&lock)
#endif

static int shared;

static void *enter(void *number) {
    (void)number;
    ENTER((long)number);
    shared = shared + 1;
    LEAVE();
    return 0;
}

int main(void) {
    PREPARE();
    pthread_t other;
    pthread_create(&other, 0, enter, (void *)1);
    enter((void *)0);
    pthread_join(other, 0);
    assert(shared == 2);
}
