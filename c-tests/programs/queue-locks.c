//@ why: Two locks whose waiters stand in a queue, each looking at a word of its own. In the MCS
//@      lock a waiter says that it waits before it links itself behind the one before it. With
//@      SEEDED=1 it says so afterwards: if the lock is handed over in between, the word is set
//@      again, and the waiter waits for ever: either thread, at the same place. One preemption
//@      between the two stores.
//@ run: -DSEEDED=1 --monitor none --preemptions 2
//@ verdict: violations
//@ livelock: mcs-wait join
//@ run: -DSEEDED=2 --preemptions 2
//@ why: The hand-over is a store after those of the critical section, which PSO may delay past it;
//@      TSO does not.
//@ verdict: violations
//@ pso: write -> read
//@ run: -DSEEDED=3 --monitor none --preemptions 2
//@ why: The owner of a CLH node gives it to the one behind, and goes on with the node of the one
//@      before it. Who goes on with its own node marks it again while the one behind has not looked
//@      yet: then each waits for the other one.
//@ verdict: violations
//@ livelock: clh-wait join clh-wait
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

// The lock of J. Mellor-Crummey and M. Scott (ACM TOCS 1991). Each thread brings a node, which must
// stay where it is until it has released the lock. First come, first served.
struct mcs_node {
    _Atomic(struct mcs_node *) next;
    atomic_bool waits;
};

struct mcs_lock {
    // The last in the queue; NULL if nobody holds the lock.
    _Atomic(struct mcs_node *) last;
};

// A lock that nobody holds.
void mcs_init(struct mcs_lock *lock);

// Takes the lock, and waits for it if need be.
void mcs_acquire(struct mcs_lock *lock, struct mcs_node *node);

// Takes the lock if nobody holds it; whether it did.
bool mcs_try_acquire(struct mcs_lock *lock, struct mcs_node *node);

// Whether somebody holds the lock, or did a moment ago.
bool mcs_is_held(struct mcs_lock *lock);

// Hands the lock to the next one in the queue.
void mcs_release(struct mcs_lock *lock, struct mcs_node *node);

// The lock of T. Craig, and A. Landin and E. Hagersten (1993 and 1994). A thread looks at the node
// of the one before it, and takes that node over in exchange for its own.
struct clh_node {
    atomic_bool is_busy;
};

struct clh_lock {
    // The node of the last in the queue, or of the one who held the lock last.
    _Atomic(struct clh_node *) last;
};

// What one thread needs to use a lock.
struct clh_user {
    struct clh_node *own, *before;
};

// A lock that nobody holds; false if there is no memory.
bool clh_init(struct clh_lock *lock);

// Frees what belongs to a lock that nobody holds.
void clh_destroy(struct clh_lock *lock);

// Something to take locks with; false if there is no memory.
bool clh_user_init(struct clh_user *user);

// Frees what belongs to a user that holds no lock.
void clh_user_destroy(struct clh_user *user);

// Takes the lock, and waits for it if need be.
void clh_acquire(struct clh_lock *lock, struct clh_user *user);

// Hands the lock to the next one in the queue.
void clh_release(struct clh_user *user);

// ---- Implementation ---------------------------------------------------------------------------

#ifndef SEEDED
#define SEEDED 0
#endif

#if SEEDED == 2
#define HAND_OVER memory_order_relaxed
#else
#define HAND_OVER memory_order_release
#endif

void mcs_init(struct mcs_lock *lock) { atomic_init(&lock->last, NULL); }

void mcs_acquire(struct mcs_lock *lock, struct mcs_node *node) {
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
#if SEEDED != 1
    atomic_store_explicit(&node->waits, true, memory_order_relaxed);
#endif
    // What the node holds must be there when others can find it.
    struct mcs_node *before = atomic_exchange_explicit(&lock->last, node, memory_order_acq_rel);
    if (!before)
        return;
    atomic_store_explicit(&before->next, node, memory_order_release);
#if SEEDED == 1
    atomic_store_explicit(&node->waits, true, memory_order_relaxed);
#endif
    while (atomic_load_explicit(&node->waits, memory_order_acquire)) // @mcs-wait
        ;
}

bool mcs_try_acquire(struct mcs_lock *lock, struct mcs_node *node) {
    struct mcs_node *nobody = NULL;
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&node->waits, true, memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(&lock->last, &nobody, node, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

bool mcs_is_held(struct mcs_lock *lock) {
    return atomic_load_explicit(&lock->last, memory_order_relaxed) != NULL;
}

void mcs_release(struct mcs_lock *lock, struct mcs_node *node) {
    struct mcs_node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (!next) {
        struct mcs_node *last = node;
        if (atomic_compare_exchange_strong_explicit(&lock->last, &last, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        // Somebody is in the queue and about to say where.
        while (!(next = atomic_load_explicit(&node->next, memory_order_acquire)))
            ;
    }
    atomic_store_explicit(&next->waits, false, HAND_OVER);
}

static struct clh_node *clh_node_create(void) {
    struct clh_node *node = malloc(sizeof *node);
    if (node)
        atomic_init(&node->is_busy, false);
    return node;
}

bool clh_init(struct clh_lock *lock) {
    struct clh_node *node = clh_node_create();
    atomic_init(&lock->last, node);
    return node != NULL;
}

void clh_destroy(struct clh_lock *lock) {
    free(atomic_load_explicit(&lock->last, memory_order_relaxed));
}

bool clh_user_init(struct clh_user *user) {
    user->own = clh_node_create();
    user->before = NULL;
    return user->own != NULL;
}

void clh_user_destroy(struct clh_user *user) { free(user->own); }

void clh_acquire(struct clh_lock *lock, struct clh_user *user) {
    atomic_store_explicit(&user->own->is_busy, true, memory_order_relaxed);
    user->before = atomic_exchange_explicit(&lock->last, user->own, memory_order_acq_rel);
    while (atomic_load_explicit(&user->before->is_busy, memory_order_acquire)) // @clh-wait
        ;
}

void clh_release(struct clh_user *user) {
    struct clh_node *own = user->own;
#if SEEDED != 3
    // Nobody looks at the node of the one before any more.
    user->own = user->before;
#endif
    atomic_store_explicit(&own->is_busy, false, HAND_OVER);
}

// ---- Harness ----------------------------------------------------------------------------------

// The first thread goes through the CLH lock twice, so that it comes back with its next node.
#if SEEDED == 3
enum { CLH_ROUNDS = 2, MCS_ROUNDS = 0 };
#else
enum { CLH_ROUNDS = 1, MCS_ROUNDS = 1 };
#endif
enum { THREADS = 2 };

static struct mcs_lock mcs;
static struct clh_lock clh;
static struct clh_user users[THREADS];
static int in_mcs, in_clh;

// What has to be done by one thread at a time.
static void count(int *counter) {
    int before = *counter; // @read
    *counter = before + 1; // @write
}

static void test_alone(void) {
    struct mcs_node first, second;
    mcs_acquire(&mcs, &first);
    assert(mcs_is_held(&mcs));
    assert(!mcs_try_acquire(&mcs, &second));
    mcs_release(&mcs, &first);
    assert(mcs_try_acquire(&mcs, &second));
    mcs_release(&mcs, &second);
    assert(!mcs_is_held(&mcs));

    struct clh_node *own = users[0].own;
    clh_acquire(&clh, &users[0]);
    clh_release(&users[0]);
    clh_acquire(&clh, &users[1]);
    clh_release(&users[1]);
    // Nodes have gone round: the second user has what the first one brought.
    assert(SEEDED == 3 || users[1].own == own);
}

static void *body(void *argument) {
    int number = (int)(intptr_t)argument;
    for (int i = 0; i < MCS_ROUNDS; i++) {
        struct mcs_node node;
        mcs_acquire(&mcs, &node);
        count(&in_mcs);
        mcs_release(&mcs, &node);
    }
    for (int i = 0; i < CLH_ROUNDS; i++) {
        clh_acquire(&clh, &users[number]);
        count(&in_clh);
        clh_release(&users[number]);
    }
    return NULL;
}

int main(void) {
    mcs_init(&mcs);
    bool has_memory = clh_init(&clh);
    for (int i = 0; i < THREADS; i++)
        has_memory = clh_user_init(&users[i]) && has_memory;
    assert(has_memory);
    test_alone();

    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL); // @join

    assert(in_mcs == MCS_ROUNDS * THREADS && in_clh == CLH_ROUNDS * THREADS);
#if SEEDED != 3
    for (int i = 0; i < THREADS; i++)
        clh_user_destroy(&users[i]);
    clh_destroy(&clh);
#endif
    return 0;
}
