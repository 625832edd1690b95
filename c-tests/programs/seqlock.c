//@ why: A sequence lock: the writer makes the count odd, writes, and makes it even again; a reader
//@      tries again if the count was odd or has changed. Stores must stay in that order. TSO does
//@      that by itself. With SEEDED=1 nothing orders the odd count before the data, and with
//@      SEEDED=2 nothing orders the data before the even count: under PSO the data can be seen
//@      before the one, or after the other. Both times the reader is torn though the count did not
//@      change.
//@ run: -DSEEDED=1 --preemptions 2
//@ verdict: violations
//@ pso: begin -> validate
//@ run: -DSEEDED=2 --preemptions 2
//@ verdict: violations
//@ pso: write -> read
//@ run: -DSEEDED=3 --monitor none --preemptions 2
//@ why: A reader that does not look at the count again reads half of one write: the sum is wrong.
//@      One preemption in the middle of either side.
//@ verdict: violations
//@ assertion: consistent
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// ---- What a header would say ------------------------------------------------------------------

// A value of up to SEQLOCK_WORDS words that a writer changes as a whole, and that readers copy
// without ever making a writer wait: the seqlock of Linux (2003), in C11 after H. Boehm (Can
// Seqlocks Get Along with Programming Language Memory Models?, MSPC 2012).
enum { SEQLOCK_WORDS = 2 };

struct seqlock {
    // Even while no writer is at work. Overflow would need a reader to sleep for 2^31 writes.
    atomic_uint count;
    // Only writers take it.
    atomic_flag writer;
    // Relaxed atomics, as a reader may look while a writer writes.
    atomic_long words[SEQLOCK_WORDS];
};

// A lock whose words are all 0.
void seqlock_init(struct seqlock *lock);

// Readers: copies the words as one write left them.
void seqlock_read(struct seqlock *lock, long words[SEQLOCK_WORDS]);

// Readers: as `seqlock_read`, but gives up after so many tries that a writer has come between.
bool seqlock_try_read(struct seqlock *lock, long words[SEQLOCK_WORDS], int tries);

// Writers: changes all words, as one change for readers.
void seqlock_write(struct seqlock *lock, const long words[SEQLOCK_WORDS]);

// Writers: adds to the words, as one change for readers and writers.
void seqlock_add(struct seqlock *lock, const long words[SEQLOCK_WORDS]);

// Writers: as `seqlock_write`, and what the words were before into `old`.
void seqlock_exchange(struct seqlock *lock, const long words[SEQLOCK_WORDS],
                      long old[SEQLOCK_WORDS]);

// How often it has been written.
unsigned seqlock_generation(struct seqlock *lock);

// Readers: as `seqlock_read`, but only if it was written since `*generation`, which is brought up
// to date; whether it was.
bool seqlock_read_newer(struct seqlock *lock, unsigned *generation, long words[SEQLOCK_WORDS]);

// ---- Implementation ---------------------------------------------------------------------------

#ifndef SEEDED
#define SEEDED 0
#endif

void seqlock_init(struct seqlock *lock) {
    atomic_init(&lock->count, 0);
    atomic_flag_clear_explicit(&lock->writer, memory_order_relaxed);
    for (int i = 0; i < SEQLOCK_WORDS; i++)
        atomic_init(&lock->words[i], 0);
}

// The order of stores, as Linux's smp_wmb.
static void order_stores(void) { atomic_thread_fence(memory_order_release); }

// The order of loads, as Linux's smp_rmb.
static void order_loads(void) { atomic_thread_fence(memory_order_acquire); }

// Readers: waits until no writer is at work, and returns the count.
static unsigned read_begin(struct seqlock *lock) {
    unsigned count;
    while ((count = atomic_load_explicit(&lock->count, memory_order_acquire)) % 2 != 0)
        ;
    return count;
}

// Readers: whether a writer has been at work since the count was `before`.
static bool read_retry(struct seqlock *lock, unsigned before) {
    order_loads();
#if SEEDED == 3
    (void)lock, (void)before;
    return false;
#else
    return atomic_load_explicit(&lock->count, memory_order_relaxed) != before;
#endif
}

// Copies word by word; what comes out is good for nothing before `read_retry` has said so.
static void copy_out(struct seqlock *lock, long words[SEQLOCK_WORDS]) {
    for (int i = 0; i < SEQLOCK_WORDS; i++)
        words[i] = atomic_load_explicit(&lock->words[i], memory_order_relaxed);
}

void seqlock_read(struct seqlock *lock, long words[SEQLOCK_WORDS]) {
    long copy[SEQLOCK_WORDS];
    unsigned count;
    do {
        count = read_begin(lock);
        copy_out(lock, copy); // @read
    } while (read_retry(lock, count)); // @validate
    memcpy(words, copy, sizeof copy);
}

bool seqlock_try_read(struct seqlock *lock, long words[SEQLOCK_WORDS], int tries) {
    for (int i = 0; i < tries; i++) {
        unsigned count = atomic_load_explicit(&lock->count, memory_order_acquire);
        if (count % 2 != 0)
            continue;
        copy_out(lock, words);
        if (!read_retry(lock, count))
            return true;
    }
    return false;
}

static void write_lock(struct seqlock *lock) {
    while (atomic_flag_test_and_set_explicit(&lock->writer, memory_order_acquire))
        ;
}

static void write_unlock(struct seqlock *lock) {
    atomic_flag_clear_explicit(&lock->writer, memory_order_release);
}

// Writers, under their lock: readers turn away from here on.
static void write_begin(struct seqlock *lock) {
    unsigned count = atomic_load_explicit(&lock->count, memory_order_relaxed);
    atomic_store_explicit(&lock->count, count + 1, memory_order_relaxed); // @begin
#if SEEDED != 1
    order_stores();
#endif
}

// Writers, under their lock: readers may come again.
static void write_end(struct seqlock *lock) {
    unsigned count = atomic_load_explicit(&lock->count, memory_order_relaxed);
#if SEEDED != 2
    order_stores();
#endif
    atomic_store_explicit(&lock->count, count + 1, memory_order_relaxed);
}

// Writers, between `write_begin` and `write_end`.
static void set_word(struct seqlock *lock, int i, long word) {
    atomic_store_explicit(&lock->words[i], word, memory_order_relaxed);
}

void seqlock_write(struct seqlock *lock, const long words[SEQLOCK_WORDS]) {
    write_lock(lock);
    write_begin(lock);
    for (int i = 0; i < SEQLOCK_WORDS; i++)
        set_word(lock, i, words[i]);
    write_end(lock);
    write_unlock(lock);
}

void seqlock_add(struct seqlock *lock, const long words[SEQLOCK_WORDS]) {
    write_lock(lock);
    write_begin(lock);
    for (int i = 0; i < SEQLOCK_WORDS; i++) {
        long word = atomic_load_explicit(&lock->words[i], memory_order_relaxed);
        set_word(lock, i, word + words[i]); // @write
    }
    write_end(lock);
    write_unlock(lock);
}

void seqlock_exchange(struct seqlock *lock, const long words[SEQLOCK_WORDS],
                      long old[SEQLOCK_WORDS]) {
    write_lock(lock);
    write_begin(lock);
    copy_out(lock, old);
    for (int i = 0; i < SEQLOCK_WORDS; i++)
        set_word(lock, i, words[i]);
    write_end(lock);
    write_unlock(lock);
}

bool seqlock_read_newer(struct seqlock *lock, unsigned *generation, long words[SEQLOCK_WORDS]) {
    if (seqlock_generation(lock) == *generation)
        return false;
    unsigned count;
    do {
        count = read_begin(lock);
        copy_out(lock, words);
    } while (read_retry(lock, count));
    *generation = count / 2;
    return true;
}

unsigned seqlock_generation(struct seqlock *lock) {
    return atomic_load_explicit(&lock->count, memory_order_relaxed) / 2;
}

// ---- Harness ----------------------------------------------------------------------------------

// Two accounts, between which money moves: their sum stays what it is.
static struct seqlock accounts;

enum { TOTAL = 100 };

// What one thread can see of the lock by itself.
static void test_alone(void) {
    const long begin[SEQLOCK_WORDS] = {60, 40}, moved[SEQLOCK_WORDS] = {-10, 10};
    long seen[SEQLOCK_WORDS] = {1, 1};
    assert(seqlock_generation(&accounts) == 0);
    seqlock_read(&accounts, seen);
    assert(seen[0] == 0 && seen[1] == 0);
    seqlock_write(&accounts, begin);
    assert(seqlock_try_read(&accounts, seen, 1) && seen[0] == 60 && seen[1] == 40);
    seqlock_add(&accounts, moved);
    seqlock_read(&accounts, seen);
    assert(seen[0] == 50 && seen[1] == 50);
    assert(seqlock_generation(&accounts) == 2);
    unsigned generation = 1;
    assert(seqlock_read_newer(&accounts, &generation, seen) && generation == 2);
    assert(!seqlock_read_newer(&accounts, &generation, seen));
    long old[SEQLOCK_WORDS];
    seqlock_exchange(&accounts, begin, old);
    assert(old[0] == 50 && old[1] == 50);
    seqlock_exchange(&accounts, old, seen);
    assert(seen[0] == 60 && seen[1] == 40);

    // While somebody writes, nobody gets anything.
    write_lock(&accounts);
    write_begin(&accounts);
    assert(!seqlock_try_read(&accounts, seen, 3));
    write_end(&accounts);
    write_unlock(&accounts);
}

static void *mover(void *unused) {
    const long moved[SEQLOCK_WORDS] = {-7, 7};
    seqlock_add(&accounts, moved);
    return unused;
}

static void *auditor(void *unused) {
    long seen[SEQLOCK_WORDS];
    seqlock_read(&accounts, seen);
    assert(seen[0] + seen[1] == TOTAL); // @consistent
    return unused;
}

int main(void) {
    seqlock_init(&accounts);
    test_alone();

    pthread_t threads[2];
    pthread_create(&threads[0], NULL, mover, NULL);
    pthread_create(&threads[1], NULL, auditor, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);

    long last[SEQLOCK_WORDS];
    assert(seqlock_try_read(&accounts, last, 1));
    assert(last[0] == 43 && last[1] == 57);
    return 0;
}
