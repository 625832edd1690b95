//@ why: A hash table with a lock in each bucket, whose entries come from a free list of its own,
//@      which takes no lock. The head of the free list carries a count of its changes. Without the
//@      count (SEEDED=1) a thread that has read the first entry and the one behind it is preempted;
//@      the other one takes both and gives the first one back; the compare-and-swap succeeds all
//@      the same (ABA), and the free list leads to an entry that is in use. The next one who takes
//@      it overwrites a key that is in the table.
//@ run: -DSEEDED=1 --monitor none --preemptions 2
//@ verdict: violations
//@ assertion: second-stays
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// ---- What a header would say ------------------------------------------------------------------

// A map from numbers to numbers with a fixed number of buckets and of entries. Any number of
// threads may use it at the same time; those that use different buckets do not wait for each other.
struct table;

// How a change ended.
enum table_result {
    TABLE_DONE,
    TABLE_PRESENT, // the key was there already
    TABLE_ABSENT,  // the key was not there
    TABLE_FULL     // all entries are in use
};

// An empty table; NULL if there is no memory.
struct table *table_create(unsigned buckets, unsigned entries);

// Frees a table that nobody uses any more.
void table_destroy(struct table *table);

// Adds a key.
enum table_result table_insert(struct table *table, unsigned key, int value);

// Gives a key that is there another value.
enum table_result table_update(struct table *table, unsigned key, int value);

// Takes a key out.
enum table_result table_remove(struct table *table, unsigned key);

// The value of a key into `*value`; false if it is not there.
bool table_find(struct table *table, unsigned key, int *value);

// How many keys there are: exact if nobody changes the table meanwhile.
unsigned table_count(struct table *table);

// ---- Implementation ---------------------------------------------------------------------------

#ifndef SEEDED
#define SEEDED 0
#endif

// Entries are named by their index, so that a name and a count fit into one word.
enum { NONE = UINT32_MAX };

struct entry {
    unsigned key;
    int value;
    // In a bucket.
    uint32_t next;
    // In the free list. Not the same as `next`: who has lost the race for an entry still reads it.
    atomic_uint_least32_t next_free;
};

struct bucket {
    atomic_bool is_locked;
    uint32_t first;
    unsigned count;
};

struct table {
    // The first free entry, and in the upper half how often it has changed.
    atomic_uint_least64_t free;
    unsigned bucket_count;
    struct bucket *buckets;
    struct entry *entries;
};

static uint32_t entry_of(uint64_t head) { return (uint32_t)head; }

// The head of the free list after `head`.
static uint64_t next_head(uint64_t head, uint32_t entry) {
#if SEEDED == 1
    (void)head;
    return entry;
#else
    uint64_t changes = (head >> 32) + 1;
    return changes << 32 | entry;
#endif
}

struct table *table_create(unsigned buckets, unsigned entries) {
    assert(buckets > 0 && entries > 0);
    struct table *table = malloc(sizeof *table);
    if (!table)
        return NULL;
    table->buckets = malloc(buckets * sizeof *table->buckets);
    table->entries = malloc(entries * sizeof *table->entries);
    if (!table->buckets || !table->entries) {
        table_destroy(table);
        return NULL;
    }
    table->bucket_count = buckets;
    for (unsigned i = 0; i < buckets; i++) {
        atomic_init(&table->buckets[i].is_locked, false);
        table->buckets[i].first = NONE;
        table->buckets[i].count = 0;
    }
    for (unsigned i = 0; i < entries; i++)
        atomic_init(&table->entries[i].next_free, i + 1 < entries ? i + 1 : NONE);
    atomic_init(&table->free, 0);
    return table;
}

void table_destroy(struct table *table) {
    if (!table)
        return;
    free(table->buckets);
    free(table->entries);
    free(table);
}

// Takes an entry off the free list; NONE if there is none.
static uint32_t take_entry(struct table *table) {
    uint64_t head = atomic_load_explicit(&table->free, memory_order_acquire);
    for (;;) {
        uint32_t first = entry_of(head);
        if (first == NONE)
            return NONE;
        atomic_uint_least32_t *link = &table->entries[first].next_free;
        uint32_t behind = atomic_load_explicit(link, memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&table->free, &head, next_head(head, behind),
                                                  memory_order_acq_rel, memory_order_acquire))
            return first;
    }
}

// Gives an entry back that is in no bucket any more.
static void give_entry(struct table *table, uint32_t entry) {
    uint64_t head = atomic_load_explicit(&table->free, memory_order_relaxed);
    atomic_uint_least32_t *link = &table->entries[entry].next_free;
    do
        atomic_store_explicit(link, entry_of(head), memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&table->free, &head, next_head(head, entry),
                                                  memory_order_acq_rel, memory_order_relaxed));
}

// The bucket of a key, locked.
static struct bucket *lock_bucket(struct table *table, unsigned key) {
    struct bucket *bucket = &table->buckets[key % table->bucket_count];
    while (atomic_exchange_explicit(&bucket->is_locked, true, memory_order_acquire))
        while (atomic_load_explicit(&bucket->is_locked, memory_order_relaxed))
            ;
    return bucket;
}

// A full fence: what this thread asks next must not be asked before others see the lock open.
static void unlock_bucket(struct bucket *bucket) {
    atomic_store_explicit(&bucket->is_locked, false, memory_order_seq_cst);
}

// Where the name of the key's entry is in a locked bucket, or NONE at the end of it.
static uint32_t *find_link(struct table *table, struct bucket *bucket, unsigned key) {
    uint32_t *link = &bucket->first;
    while (*link != NONE && table->entries[*link].key != key)
        link = &table->entries[*link].next;
    return link;
}

enum table_result table_insert(struct table *table, unsigned key, int value) {
    // Before the lock: whoever waits for the bucket need not wait for the free list.
    uint32_t name = take_entry(table);
    if (name == NONE)
        return TABLE_FULL;
    struct entry *entry = &table->entries[name];
    struct bucket *bucket = lock_bucket(table, key);
    uint32_t *link = find_link(table, bucket, key);
    bool is_new = *link == NONE;
    if (is_new) {
        entry->key = key;
        entry->value = value;
        entry->next = NONE;
        *link = name;
        bucket->count++;
    }
    unlock_bucket(bucket);
    if (!is_new)
        give_entry(table, name);
    return is_new ? TABLE_DONE : TABLE_PRESENT;
}

enum table_result table_update(struct table *table, unsigned key, int value) {
    struct bucket *bucket = lock_bucket(table, key);
    uint32_t name = *find_link(table, bucket, key);
    if (name != NONE)
        table->entries[name].value = value;
    unlock_bucket(bucket);
    return name == NONE ? TABLE_ABSENT : TABLE_DONE;
}

enum table_result table_remove(struct table *table, unsigned key) {
    struct bucket *bucket = lock_bucket(table, key);
    uint32_t *link = find_link(table, bucket, key);
    uint32_t name = *link;
    if (name != NONE) {
        *link = table->entries[name].next;
        bucket->count--;
    }
    unlock_bucket(bucket);
    if (name == NONE)
        return TABLE_ABSENT;
    give_entry(table, name);
    return TABLE_DONE;
}

bool table_find(struct table *table, unsigned key, int *value) {
    struct bucket *bucket = lock_bucket(table, key);
    uint32_t name = *find_link(table, bucket, key);
    if (name != NONE)
        *value = table->entries[name].value;
    unlock_bucket(bucket);
    return name != NONE;
}

unsigned table_count(struct table *table) {
    unsigned count = 0;
    for (unsigned key = 0; key < table->bucket_count; key++) {
        struct bucket *bucket = lock_bucket(table, key);
        count += bucket->count;
        unlock_bucket(bucket);
    }
    return count;
}

// ---- Harness ----------------------------------------------------------------------------------

enum { BUCKETS = 2, ENTRIES = 3 };

static struct table *shared;

// What one thread can see of the table by itself.
static void test_alone(void) {
    int value = 0;
    assert(table_insert(shared, 1, 10) == TABLE_DONE && table_insert(shared, 3, 30) == TABLE_DONE);
    assert(table_insert(shared, 3, 31) == TABLE_PRESENT && table_count(shared) == 2);
    assert(table_insert(shared, 2, 20) == TABLE_DONE);
    assert(table_insert(shared, 4, 40) == TABLE_FULL);
    assert(table_update(shared, 3, 33) == TABLE_DONE && table_update(shared, 5, 0) == TABLE_ABSENT);
    assert(table_find(shared, 3, &value) && value == 33);
    assert(table_remove(shared, 2) == TABLE_DONE && table_remove(shared, 2) == TABLE_ABSENT);
    assert(table_remove(shared, 1) == TABLE_DONE && !table_find(shared, 1, &value));
    assert(table_remove(shared, 3) == TABLE_DONE && table_count(shared) == 0);
}

static void *one_key(void *unused) {
    assert(table_insert(shared, 1, 10) == TABLE_DONE);
    return unused;
}

static void *two_keys(void *unused) {
    assert(table_insert(shared, 2, 20) == TABLE_DONE);
    assert(table_insert(shared, 4, 40) == TABLE_DONE);
    assert(table_remove(shared, 2) == TABLE_DONE);
    return unused;
}

int main(void) {
    shared = table_create(BUCKETS, ENTRIES);
    assert(shared);
    test_alone();

    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one_key, NULL);
    pthread_create(&threads[1], NULL, two_keys, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);

    // One entry is free. To use it touches none of the others.
    int value = 0;
    assert(table_insert(shared, 3, 30) == TABLE_DONE);
    assert(table_find(shared, 4, &value) && value == 40); // @second-stays
    assert(table_find(shared, 1, &value) && value == 10);
    assert(table_count(shared) == 3);
    table_destroy(shared);
    return 0;
}
