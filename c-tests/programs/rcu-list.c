//@ why: A sorted list that is read without a lock and changed under one. A new node is set up
//@      before the store that links it, which releases; a removed one is freed when every reader
//@      that could have found it has left. With SEEDED=1 the link is a relaxed store: PSO lets a
//@      reader find the node before what is in it. TSO keeps stores in order.
//@ run: -DSEEDED=1 --preemptions 2
//@ verdict: violations
//@ pso: set-value -> get-value, set-next -> get-next
//@ run: -DSEEDED=2 --monitor none --preemptions 2
//@ why: Without a grace period a reader that stands at the removed node reads freed memory.
//@ verdict: violations
//@ use-after-free: get-value release make, get-next release make
//@ run: -DSEEDED=3 --preemptions 2
//@ why: Without the full fence at the beginning of a reader's section, its mark may wait in the
//@      store buffer while it follows the link; the one who removes does not wait for it (store
//@      buffering between mark and link).
//@ verdict: violations
//@ tso: enter -> is-reading
//@ pso: enter -> is-reading
//@ run: --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

// ---- What a header would say ------------------------------------------------------------------

// A map from keys to values as a sorted list, for a few writers, which take a lock, and READERS
// readers, which take none (read-copy-update, P. McKenney, 2004; the readers' marks are those of
// the memory-barrier flavour of liburcu).
enum { READERS = 1 };

struct map;

// An empty map; NULL if there is no memory.
struct map *map_create(void);

// Frees the map. Nobody uses it any more.
void map_destroy(struct map *map);

// Readers: the value of the key into `*value`; false if there is none. `reader` is a number below
// READERS that no other thread uses meanwhile.
bool map_find(struct map *map, int reader, int key, int *value);

// Readers: the sum of all values, as they were at some time or other during the call.
int map_sum(struct map *map, int reader);

// Writers: adds a key; false if it is there already or there is no memory.
bool map_insert(struct map *map, int key, int value);

// Writers: takes a key out; false if it is not there. Waits for readers.
bool map_remove(struct map *map, int key);

// Writers: gives a key that is there another value, as one change. Waits for readers.
bool map_replace(struct map *map, int key, int value);

// ---- Implementation ---------------------------------------------------------------------------

#ifndef SEEDED
#define SEEDED 0
#endif

struct node {
    int key;
    int value;
    _Atomic(struct node *) next;
};

struct map {
    pthread_mutex_t writers;
    _Atomic(struct node *) first;
    // Of each reader: odd while it reads.
    atomic_uint sections[READERS];
};

struct map *map_create(void) {
    struct map *map = malloc(sizeof *map);
    if (!map)
        return NULL;
    pthread_mutex_init(&map->writers, NULL);
    atomic_init(&map->first, NULL);
    for (int i = 0; i < READERS; i++)
        atomic_init(&map->sections[i], 0);
    return map;
}

void map_destroy(struct map *map) {
    if (!map)
        return;
    struct node *node = atomic_load_explicit(&map->first, memory_order_relaxed);
    for (struct node *next; node; node = next) {
        next = atomic_load_explicit(&node->next, memory_order_relaxed);
        free(node);
    }
    pthread_mutex_destroy(&map->writers);
    free(map);
}

// The next node of a list without a lock.
static struct node *follow(_Atomic(struct node *) *link) {
    return atomic_load_explicit(link, memory_order_acquire);
}

// Makes what is new reachable for readers.
static void publish(_Atomic(struct node *) *link, struct node *node) {
#if SEEDED == 1
    atomic_store_explicit(link, node, memory_order_relaxed);
#else
    atomic_store_explicit(link, node, memory_order_release);
#endif
}

static void read_lock(struct map *map, int reader) {
    atomic_uint *section = &map->sections[reader];
    unsigned number = atomic_load_explicit(section, memory_order_relaxed);
    atomic_store_explicit(section, number + 1, memory_order_relaxed); // @enter
#if SEEDED != 3
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void read_unlock(struct map *map, int reader) {
    atomic_uint *section = &map->sections[reader];
    unsigned number = atomic_load_explicit(section, memory_order_relaxed);
    atomic_store_explicit(section, number + 1, memory_order_release);
}

// Waits until every reader that is in a section now has left it.
static void synchronize(struct map *map) {
#if SEEDED == 2
    (void)map;
#else
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < READERS; i++) {
        atomic_uint *section = &map->sections[i];
        unsigned before = atomic_load_explicit(section, memory_order_acquire); // @is-reading
        if (before % 2 == 0)
            continue;
        while (atomic_load_explicit(section, memory_order_acquire) == before)
            ;
    }
#endif
}

bool map_find(struct map *map, int reader, int key, int *value) {
    read_lock(map, reader);
    struct node *node = follow(&map->first);
    while (node && node->key < key)
        node = follow(&node->next);
    bool found = node && node->key == key;
    if (found)
        *value = node->value;
    read_unlock(map, reader);
    return found;
}

int map_sum(struct map *map, int reader) {
    int sum = 0;
    read_lock(map, reader);
    for (struct node *node = follow(&map->first); node; node = follow(&node->next)) // @get-next
        sum += node->value;                                                         // @get-value
    read_unlock(map, reader);
    return sum;
}

// The link to the first node whose key is not below `key`. Only writers, under their lock.
static _Atomic(struct node *) *find_link(struct map *map, int key) {
    _Atomic(struct node *) *link = &map->first;
    for (;;) {
        struct node *node = atomic_load_explicit(link, memory_order_relaxed);
        if (!node || node->key >= key)
            return link;
        link = &node->next;
    }
}

// A node that nobody else knows yet.
static struct node *make_node(int key, int value, struct node *next) {
    struct node *node = malloc(sizeof *node); // @make
    if (!node)
        return NULL;
    node->key = key;
    node->value = value;                                            // @set-value
    atomic_store_explicit(&node->next, next, memory_order_relaxed); // @set-next
    return node;
}

// The node with the key that a link leads to, if that is the one.
static struct node *node_behind(_Atomic(struct node *) *link, int key) {
    struct node *node = atomic_load_explicit(link, memory_order_relaxed);
    return node && node->key == key ? node : NULL;
}

bool map_insert(struct map *map, int key, int value) {
    pthread_mutex_lock(&map->writers);
    _Atomic(struct node *) *link = find_link(map, key);
    struct node *node = NULL;
    if (!node_behind(link, key)) {
        node = make_node(key, value, atomic_load_explicit(link, memory_order_relaxed));
        if (node)
            publish(link, node);
    }
    pthread_mutex_unlock(&map->writers);
    return node != NULL;
}

// Puts `node` (or what follows) in the place of `old`, and frees that when nobody reads it.
static void supersede(struct map *map, _Atomic(struct node *) *link, struct node *old,
                      struct node *node) {
    publish(link, node);
    synchronize(map);
    free(old); // @release
}

bool map_remove(struct map *map, int key) {
    pthread_mutex_lock(&map->writers);
    _Atomic(struct node *) *link = find_link(map, key);
    struct node *old = node_behind(link, key);
    if (old)
        supersede(map, link, old, atomic_load_explicit(&old->next, memory_order_relaxed));
    pthread_mutex_unlock(&map->writers);
    return old != NULL;
}

bool map_replace(struct map *map, int key, int value) {
    pthread_mutex_lock(&map->writers);
    _Atomic(struct node *) *link = find_link(map, key);
    struct node *old = node_behind(link, key), *node = NULL;
    if (old) {
        node = make_node(key, value, atomic_load_explicit(&old->next, memory_order_relaxed));
        if (node)
            supersede(map, link, old, node);
    }
    pthread_mutex_unlock(&map->writers);
    return node != NULL;
}

// ---- Harness ----------------------------------------------------------------------------------

static struct map *shared;

// What one thread can see of the map by itself.
static void test_alone(void) {
    int value = 0;
    assert(map_insert(shared, 2, 20) && map_insert(shared, 1, 10) && map_insert(shared, 3, 30));
    assert(!map_insert(shared, 2, 21));
    assert(map_find(shared, 0, 2, &value) && value == 20);
    assert(map_sum(shared, 0) == 60);
    assert(map_replace(shared, 2, 22) && map_find(shared, 0, 2, &value) && value == 22);
    assert(map_remove(shared, 1) && !map_remove(shared, 1) && map_remove(shared, 3));
    assert(!map_find(shared, 0, 1, &value) && !map_replace(shared, 1, 11));
}

static void *reader(void *unused) {
    int sum = map_sum(shared, 0);
    assert(sum == 22 || sum == 22 + 10 || sum == 10);
    return unused;
}

static void *writer(void *unused) {
    assert(map_insert(shared, 1, 10));
    assert(map_remove(shared, 2));
    return unused;
}

int main(void) {
    shared = map_create();
    assert(shared);
    test_alone();

    pthread_t threads[2];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);

    assert(map_sum(shared, 0) == 10);
    map_destroy(shared);
    return 0;
}
