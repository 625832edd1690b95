//@ why: A reader-writer lock in which each reader has a byte of its own. A reader sets it and then
//@      looks whether there is a writer; a writer announces itself and then looks at the bytes.
//@      With SEEDED=1 nothing keeps the byte out of the reader's store buffer while it looks: store
//@      buffering. The writer announces itself by a compare-and-swap, which never waits.
//@ run: -DSEEDED=1 --preemptions 2
//@ verdict: violations
//@ tso: raise -> is-reading
//@ pso: raise -> is-reading
//@ run: -DSEEDED=2 --preemptions 2
//@ why: The store that ends a writer's section must come after what was written. Under PSO it does
//@      not unless it releases; a reader that comes then may find the old values.
//@ verdict: violations
//@ pso: set-x -> get-x, set-y -> get-y
//@ run: -DSEEDED=3 --monitor none --preemptions 2
//@ why: A reader that finds a writer takes its byte back before it waits. If it keeps it, the
//@      writer waits for the byte, and the reader for the writer.
//@ verdict: violations
//@ livelock: has-writer join is-reading
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

// ---- What a header would say ------------------------------------------------------------------

// A lock for up to BYTE_LOCK_SLOTS threads with a number and any number of others, after D. Dice
// and N. Shavit (TLRW, SPAA 2010). Readers with a number write nothing but a byte of their own;
// others share a counter. Writers keep new readers out while they wait for those that are inside.
enum { BYTE_LOCK_SLOTS = 2 };

struct byte_lock {
    // The number of the writer plus one; 0 without a writer.
    atomic_int writer;
    // Readers without a number.
    atomic_int others;
    // 1 while the thread of that number reads.
    atomic_uchar readers[BYTE_LOCK_SLOTS];
};

// Who a thread is that has no number.
enum { BYTE_LOCK_STRANGER = -1 };

// A lock that nobody holds.
void byte_lock_init(struct byte_lock *lock);

// Begins to read: waits while there is a writer.
void byte_lock_read(struct byte_lock *lock, int who);

// Begins to read if there is no writer; whether it did.
bool byte_lock_try_read(struct byte_lock *lock, int who);

// Ends to read.
void byte_lock_end_read(struct byte_lock *lock, int who);

// Begins to write: waits until nobody else reads or writes.
void byte_lock_write(struct byte_lock *lock, int who);

// Begins to write if nobody else reads or writes; whether it did.
bool byte_lock_try_write(struct byte_lock *lock, int who);

// Ends to write.
void byte_lock_end_write(struct byte_lock *lock);

// Goes on from reading to writing if nobody else reads or writes; whether it did. If not, the
// thread still reads. Waits for nobody, as two readers would wait for each other.
bool byte_lock_try_upgrade(struct byte_lock *lock, int who);

// Whether a thread reads or writes: a guess while others come and go.
bool byte_lock_is_held(struct byte_lock *lock);

// Ends to write and goes on to read: no other writer comes between. Only for threads with a number.
void byte_lock_downgrade(struct byte_lock *lock, int who);

// ---- Implementation ---------------------------------------------------------------------------

#ifndef SEEDED
#define SEEDED 0
#endif

void byte_lock_init(struct byte_lock *lock) {
    atomic_init(&lock->writer, 0);
    atomic_init(&lock->others, 0);
    for (int i = 0; i < BYTE_LOCK_SLOTS; i++)
        atomic_init(&lock->readers[i], 0);
}

// Says that this thread reads, so that a writer that comes later sees it.
static void raise(struct byte_lock *lock, int who) {
    if (who == BYTE_LOCK_STRANGER) {
        atomic_fetch_add_explicit(&lock->others, 1, memory_order_seq_cst);
        return;
    }
    assert(who >= 0 && who < BYTE_LOCK_SLOTS);
    atomic_store_explicit(&lock->readers[who], 1, memory_order_relaxed); // @raise
#if SEEDED != 1
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

// Says that this thread does not read.
static void lower(struct byte_lock *lock, int who) {
    if (who == BYTE_LOCK_STRANGER)
        atomic_fetch_sub_explicit(&lock->others, 1, memory_order_release);
    else
        atomic_store_explicit(&lock->readers[who], 0, memory_order_release);
}

static bool has_writer(struct byte_lock *lock) {
    return atomic_load_explicit(&lock->writer, memory_order_acquire) != 0;
}

static void wait_for_writer(struct byte_lock *lock) {
    while (has_writer(lock))
        ;
}

bool byte_lock_try_read(struct byte_lock *lock, int who) {
    raise(lock, who);
    if (!has_writer(lock))
        return true;
    lower(lock, who);
    return false;
}

void byte_lock_read(struct byte_lock *lock, int who) {
#if SEEDED == 3
    raise(lock, who);
    wait_for_writer(lock); // @has-writer
#else
    while (!byte_lock_try_read(lock, who))
        wait_for_writer(lock);
#endif
}

void byte_lock_end_read(struct byte_lock *lock, int who) { lower(lock, who); }

// Whether the thread of that number reads.
static bool is_reading(struct byte_lock *lock, int number) {
    return atomic_load_explicit(&lock->readers[number], memory_order_acquire) != 0;
}

static bool are_others_reading(struct byte_lock *lock) {
    return atomic_load_explicit(&lock->others, memory_order_acquire) != 0;
}

static bool is_free_of_readers(struct byte_lock *lock) {
    for (int i = 0; i < BYTE_LOCK_SLOTS; i++)
        if (is_reading(lock, i))
            return false;
    return !are_others_reading(lock);
}

// Keeps new readers and other writers out; whether nobody else did.
static bool announce(struct byte_lock *lock, int who) {
    int nobody = 0;
    return atomic_compare_exchange_strong_explicit(&lock->writer, &nobody, who + 2,
                                                   memory_order_seq_cst, memory_order_relaxed);
}

void byte_lock_write(struct byte_lock *lock, int who) {
    while (!announce(lock, who))
        wait_for_writer(lock);
    for (int i = 0; i < BYTE_LOCK_SLOTS; i++)
        while (is_reading(lock, i)) // @is-reading
            ;
    while (are_others_reading(lock))
        ;
}

bool byte_lock_try_write(struct byte_lock *lock, int who) {
    if (!announce(lock, who))
        return false;
    if (is_free_of_readers(lock))
        return true;
    byte_lock_end_write(lock);
    return false;
}

void byte_lock_end_write(struct byte_lock *lock) {
#if SEEDED == 2
    atomic_store_explicit(&lock->writer, 0, memory_order_relaxed);
#else
    atomic_store_explicit(&lock->writer, 0, memory_order_release);
#endif
}

bool byte_lock_try_upgrade(struct byte_lock *lock, int who) {
    if (!announce(lock, who))
        return false;
    // From here on nobody comes; its own mark must not keep the thread out.
    lower(lock, who);
    if (is_free_of_readers(lock))
        return true;
    raise(lock, who);
    byte_lock_end_write(lock);
    return false;
}

bool byte_lock_is_held(struct byte_lock *lock) {
    return has_writer(lock) || !is_free_of_readers(lock);
}

void byte_lock_downgrade(struct byte_lock *lock, int who) {
    assert(who != BYTE_LOCK_STRANGER);
    raise(lock, who);
    byte_lock_end_write(lock);
}

// ---- Harness ----------------------------------------------------------------------------------

// A point that must stay on the diagonal.
static struct byte_lock lock;
static int x, y;

// What one thread can see of the lock by itself.
static void test_alone(void) {
    byte_lock_read(&lock, 0);
    assert(byte_lock_try_read(&lock, 1) && byte_lock_try_read(&lock, BYTE_LOCK_STRANGER));
    assert(!byte_lock_try_write(&lock, 1));
    byte_lock_end_read(&lock, 0);
    byte_lock_end_read(&lock, 1);
    assert(!byte_lock_try_write(&lock, 1));
    byte_lock_end_read(&lock, BYTE_LOCK_STRANGER);
    assert(byte_lock_try_write(&lock, 1));
    assert(!byte_lock_try_write(&lock, 0) && !byte_lock_try_read(&lock, 0));
    byte_lock_downgrade(&lock, 1);
    assert(byte_lock_try_read(&lock, 0) && !byte_lock_try_write(&lock, BYTE_LOCK_STRANGER));
    assert(!byte_lock_try_upgrade(&lock, 0));
    byte_lock_end_read(&lock, 1);
    assert(byte_lock_try_upgrade(&lock, 0) && !byte_lock_try_read(&lock, 1));
    byte_lock_end_write(&lock);
    assert(!byte_lock_is_held(&lock));
    byte_lock_write(&lock, BYTE_LOCK_STRANGER);
    assert(byte_lock_is_held(&lock));
    byte_lock_end_write(&lock);
}

static void move(int who) {
    byte_lock_write(&lock, who);
    x++; // @set-x
    y++; // @set-y
    byte_lock_end_write(&lock);
}

static void *reader(void *unused) {
    byte_lock_read(&lock, 0);
    int seen_x = x; // @get-x
    int seen_y = y; // @get-y
    byte_lock_end_read(&lock, 0);
    assert(seen_x == seen_y);
    return unused;
}

static void *writer(void *unused) {
    move(1);
    return unused;
}

int main(void) {
    byte_lock_init(&lock);
    test_alone();

    pthread_t threads[2];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_join(threads[0], NULL); // @join
    pthread_join(threads[1], NULL);
    assert(x == 1 && y == 1);
    return 0;
}
