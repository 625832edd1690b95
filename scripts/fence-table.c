// Store buffering with a call between store and load, natively: see scripts/fence-table. Two
// threads go through the rounds together, each with a random delay; what they read is kept by
// round and looked at by the first one in between.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// What a call works on: each thread's own, so that nothing but the buffer orders the two.
struct side {
    _Alignas(128) volatile int flag;
    _Alignas(128) pthread_spinlock_t spin, held_spin;
    pthread_mutex_t normal, held_normal, recursive, checked;
    pthread_cond_t condition;
    pthread_rwlock_t lock, held_lock;
    sem_t empty, full;
    pthread_once_t done;
    pthread_barrier_t barrier;
    pthread_t running;
    unsigned word;
    unsigned random;
    int read;
};

static struct side sides[2];
static _Alignas(128) atomic_int arrived[2];
static const struct timespec past = {0, 0};
static void *volatile block;

static void nothing(void) {}

static void *sleeps(void *unused) {
    for (;;)
        pause();
    return unused;
}

static void none(struct side *s) { (void)s; }
static void fence(struct side *s) {
    (void)s;
    atomic_thread_fence(memory_order_seq_cst);
}
static void spin_lock(struct side *s) { pthread_spin_lock(&s->spin); }
static void spin_unlock(struct side *s) { pthread_spin_unlock(&s->spin); }
static void spin_busy(struct side *s) { pthread_spin_trylock(&s->held_spin); }
static void mutex_lock(struct side *s) { pthread_mutex_lock(&s->normal); }
static void mutex_unlock(struct side *s) { pthread_mutex_unlock(&s->normal); }
static void mutex_busy(struct side *s) { pthread_mutex_trylock(&s->held_normal); }
static void mutex_again(struct side *s) {
    pthread_mutex_lock(&s->recursive);
    pthread_mutex_unlock(&s->recursive);
}
static void mutex_refused(struct side *s) { pthread_mutex_unlock(&s->checked); }
static void signal_nobody(struct side *s) { pthread_cond_signal(&s->condition); }
static void broadcast_nobody(struct side *s) { pthread_cond_broadcast(&s->condition); }
static void read_lock(struct side *s) { pthread_rwlock_rdlock(&s->lock); }
static void write_lock(struct side *s) { pthread_rwlock_wrlock(&s->lock); }
static void rw_unlock(struct side *s) { pthread_rwlock_unlock(&s->lock); }
static void read_busy(struct side *s) { pthread_rwlock_tryrdlock(&s->held_lock); }
static void write_busy(struct side *s) { pthread_rwlock_trywrlock(&s->held_lock); }
static void semaphore_empty(struct side *s) { sem_trywait(&s->empty); }
static void semaphore_time_out(struct side *s) { sem_timedwait(&s->empty, &past); }
static void semaphore_wait(struct side *s) { sem_wait(&s->full); }
static void semaphore_post(struct side *s) { sem_post(&s->full); }
static void semaphore_value(struct side *s) {
    int value;
    sem_getvalue(&s->empty, &value);
}
static void once_done(struct side *s) { pthread_once(&s->done, nothing); }
static void barrier_alone(struct side *s) { pthread_barrier_wait(&s->barrier); }
static void join_fails(struct side *s) { pthread_tryjoin_np(s->running, NULL); }
static void test_cancel(struct side *s) {
    (void)s;
    pthread_testcancel();
}
static void futex_wake(struct side *s) { syscall(SYS_futex, &s->word, FUTEX_WAKE_PRIVATE, 1); }
static void futex_again(struct side *s) {
    syscall(SYS_futex, &s->word, FUTEX_WAIT_PRIVATE, 1, NULL);
}
static void draws(struct side *s) {
    (void)s;
    block = (void *)(long)rand();
}
static void clock_look(struct side *s) {
    (void)s;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
}

static void lock_spin(struct side *s) { pthread_spin_lock(&s->spin); }
static void unlock_spin(struct side *s) { pthread_spin_unlock(&s->spin); }
static void lock_mutex(struct side *s) { pthread_mutex_lock(&s->normal); }
static void unlock_mutex(struct side *s) { pthread_mutex_unlock(&s->normal); }
static void hold_recursive(struct side *s) { pthread_mutex_lock(&s->recursive); }
static void leave_recursive(struct side *s) { pthread_mutex_unlock(&s->recursive); }
static void lock_read(struct side *s) { pthread_rwlock_rdlock(&s->lock); }
static void leave_lock(struct side *s) { pthread_rwlock_unlock(&s->lock); }
static void fill(struct side *s) { sem_post(&s->full); }
static void drain(struct side *s) { sem_wait(&s->full); }

// A call, with what makes it possible before the round's store and what undoes it behind the
// load.
static const struct row {
    const char *name;
    void (*before)(struct side *), (*call)(struct side *), (*after)(struct side *);
} rows[] = {
    {"nothing", none, none, none},
    {"fence", none, fence, none},
    {"pthread_spin_lock", none, spin_lock, unlock_spin},
    {"pthread_spin_unlock", lock_spin, spin_unlock, none},
    {"pthread_spin_trylock-held", none, spin_busy, none},
    {"pthread_mutex_lock", none, mutex_lock, unlock_mutex},
    {"pthread_mutex_unlock", lock_mutex, mutex_unlock, none},
    {"pthread_mutex_trylock-held", none, mutex_busy, none},
    {"pthread_mutex_lock-unlock-again", hold_recursive, mutex_again, leave_recursive},
    {"pthread_mutex_unlock-EPERM", none, mutex_refused, none},
    {"pthread_cond_signal-nobody", none, signal_nobody, none},
    {"pthread_cond_broadcast-nobody", none, broadcast_nobody, none},
    {"pthread_rwlock_rdlock", none, read_lock, leave_lock},
    {"pthread_rwlock_wrlock", none, write_lock, leave_lock},
    {"pthread_rwlock_unlock", lock_read, rw_unlock, none},
    {"pthread_rwlock_tryrdlock-held", none, read_busy, none},
    {"pthread_rwlock_trywrlock-held", none, write_busy, none},
    {"sem_trywait-0", none, semaphore_empty, none},
    {"sem_timedwait-over", none, semaphore_time_out, none},
    {"sem_wait", fill, semaphore_wait, none},
    {"sem_post", none, semaphore_post, drain},
    {"sem_getvalue", none, semaphore_value, none},
    {"pthread_once-done", none, once_done, none},
    {"pthread_barrier_wait-of-1", none, barrier_alone, none},
    {"pthread_tryjoin_np-runs", none, join_fails, none},
    {"pthread_testcancel", none, test_cancel, none},
    {"futex-wake", none, futex_wake, none},
    {"futex-wait-EAGAIN", none, futex_again, none},
    {"rand", none, draws, none},
    {"clock_gettime", none, clock_look, none},
};

static const struct row *row;
static long rounds;

static void make(struct side *s, unsigned seed) {
    pthread_mutexattr_t kind;
    memset(s, 0, sizeof *s);
    s->random = seed;
    s->done = PTHREAD_ONCE_INIT;
    pthread_once(&s->done, nothing);
    pthread_spin_init(&s->spin, 0);
    pthread_spin_init(&s->held_spin, 0);
    pthread_spin_lock(&s->held_spin);
    pthread_mutex_init(&s->normal, NULL);
    pthread_mutex_init(&s->held_normal, NULL);
    pthread_mutex_lock(&s->held_normal);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&s->recursive, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&s->checked, &kind);
    pthread_cond_init(&s->condition, NULL);
    pthread_rwlock_init(&s->lock, NULL);
    pthread_rwlock_init(&s->held_lock, NULL);
    pthread_rwlock_wrlock(&s->held_lock);
    sem_init(&s->empty, 0, 0);
    sem_init(&s->full, 0, 0);
    pthread_barrier_init(&s->barrier, NULL, 1);
    pthread_create(&s->running, NULL, sleeps, NULL);
}

// Both threads have come to this step.
static void meet(int me, int step) {
    atomic_store(&arrived[me], step);
    for (int spins = 0; atomic_load(&arrived[!me]) < step; spins++)
        if (spins > 2000)
            sched_yield();
}

static long both_zero;

static void *run(void *argument) {
    const int me = argument != NULL;
    struct side *own = &sides[me], *other = &sides[!me];
    cpu_set_t processor;
    CPU_ZERO(&processor);
    CPU_SET(me, &processor);
    pthread_setaffinity_np(pthread_self(), sizeof processor, &processor);
    for (int round = 0; round < rounds; round++) {
        own->flag = 0;
        row->before(own);
        own->random = own->random * 1664525 + 1013904223;
        meet(me, 2 * round + 1);
        for (volatile unsigned wait = own->random >> 26; wait > 0; wait--) {
        }
        own->flag = 1;
        row->call(own);
        own->read = other->flag;
        meet(me, 2 * round + 2);
        if (me == 0)
            both_zero += !own->read && !other->read;
        row->after(own);
    }
    return NULL;
}

int main(int count, char **arguments) {
    rounds = count > 1 ? atol(arguments[1]) : 1000000;
    printf("| call and path | both read 0, of %ld rounds |\n|---|---|\n", rounds);
    for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
        int wanted = count < 3;
        for (int name = 2; name < count; name++)
            wanted |= !strcmp(rows[at].name, arguments[name]);
        if (!wanted)
            continue;
        row = &rows[at];
        both_zero = 0;
        atomic_store(&arrived[0], 0);
        atomic_store(&arrived[1], 0);
        make(&sides[0], 1);
        make(&sides[1], 2);
        pthread_t threads[2];
        for (long me = 0; me < 2; me++)
            pthread_create(&threads[me], NULL, run, (void *)me);
        for (int me = 0; me < 2; me++)
            pthread_join(threads[me], NULL);
        for (int me = 0; me < 2; me++) {
            pthread_cancel(sides[me].running);
            pthread_join(sides[me].running, NULL);
        }
        printf("| `%s` | %ld |\n", row->name, both_zero);
        fflush(stdout);
    }
    return 0;
}
