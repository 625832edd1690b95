//@ why: Epoch-based reclamation under a set of readers. A reader pins the epoch that it finds and
//@      may hold what it reads until it unpins. Whoever has unlinked something keeps it for two
//@      more epochs, and the epoch moves on only when every pinned reader has been seen in it: so
//@      no reader that could know the thing is left. Freeing after one epoch (SEEDED=1) is too
//@      early: a reader that has pinned the epoch of the removal does not keep it from moving on
//@      once.
//@ run: -DSEEDED=1 --monitor none --preemptions 2
//@ why: The assertion reads two members of what is freed: two accesses in one place.
//@ verdict: violations
//@ use-after-free: read-value reclaim make, read-value reclaim make
//@ run: -DSEEDED=2 --preemptions 2
//@ why: Without a full fence after a pin, it may wait in the store buffer while the reader takes
//@      the pointer, and the one who moves the epoch does not see it: store buffering between the
//@      pin and the pointer.
//@ verdict: violations
//@ tso: pin -> is-pinned
//@ pso: pin -> is-pinned
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

// Reclamation by epochs, after K. Fraser (Practical lock-freedom, 2004). Threads read shared
// pointers between `epoch_pin` and `epoch_unpin`; what was unlinked goes to `epoch_retire`, and is
// freed when no reader can hold it any more.
enum { EPOCH_THREADS = 2 };

struct epoch_domain;

// What one thread needs to take part.
struct epoch_thread;

// How what was retired is freed.
typedef void epoch_destructor(void *object);

// A domain in which nobody is pinned; NULL if there is no memory.
struct epoch_domain *epoch_create(epoch_destructor *destroy);

// Frees everything that is still retired, and the domain. Nobody is pinned.
void epoch_destroy(struct epoch_domain *domain);

// The record of that number, below EPOCH_THREADS, for one thread alone.
struct epoch_thread *epoch_thread(struct epoch_domain *domain, int number);

// From here on what this thread reads stays allocated, until `epoch_unpin`. Does not nest.
void epoch_pin(struct epoch_thread *thread);

// The end of what `epoch_pin` began.
void epoch_unpin(struct epoch_thread *thread);

// Hands over an object that nobody can find any more. Only while pinned.
void epoch_retire(struct epoch_thread *thread, void *object);

// Moves the epoch on if every pinned thread is in it; whether it did, or another thread has.
bool epoch_advance(struct epoch_thread *thread);

// Frees what this thread has retired and nobody can hold; how many objects are left.
int epoch_collect(struct epoch_thread *thread);

// ---- Implementation ---------------------------------------------------------------------------

#ifndef SEEDED
#define SEEDED 0
#endif

// An object is freed so many epochs after the one in which it was retired.
#if SEEDED == 1
enum { GRACE = 1 };
#else
enum { GRACE = 2 };
#endif

// What a thread can keep for later; a pin that would need more frees first.
enum { LIMBO = 4 };

struct retired {
    void *object;
    unsigned epoch;
};

struct epoch_thread {
    struct epoch_domain *domain;
    // Twice the epoch that the thread has pinned, plus one; 0 while it is not pinned.
    atomic_uint pinned;
    // Of this thread alone.
    struct retired limbo[LIMBO];
    int limbo_count;
};

struct epoch_domain {
    atomic_uint epoch;
    epoch_destructor *destroy;
    struct epoch_thread threads[EPOCH_THREADS];
};

struct epoch_domain *epoch_create(epoch_destructor *destroy) {
    struct epoch_domain *domain = malloc(sizeof *domain);
    if (!domain)
        return NULL;
    atomic_init(&domain->epoch, 0);
    domain->destroy = destroy;
    for (int i = 0; i < EPOCH_THREADS; i++) {
        domain->threads[i].domain = domain;
        atomic_init(&domain->threads[i].pinned, 0);
        domain->threads[i].limbo_count = 0;
    }
    return domain;
}

void epoch_destroy(struct epoch_domain *domain) {
    if (!domain)
        return;
    for (int i = 0; i < EPOCH_THREADS; i++) {
        struct epoch_thread *thread = &domain->threads[i];
        for (int j = 0; j < thread->limbo_count; j++)
            domain->destroy(thread->limbo[j].object);
    }
    free(domain);
}

struct epoch_thread *epoch_thread(struct epoch_domain *domain, int number) {
    assert(number >= 0 && number < EPOCH_THREADS);
    return &domain->threads[number];
}

// The number that a thread announces while it is pinned in the epoch.
static unsigned announcement(unsigned epoch) { return 2 * epoch + 1; }

void epoch_pin(struct epoch_thread *thread) {
    atomic_uint *now = &thread->domain->epoch;
    unsigned epoch = atomic_load_explicit(now, memory_order_acquire);
    for (;;) {
        atomic_store_explicit(&thread->pinned, announcement(epoch), memory_order_relaxed); // @pin
#if SEEDED != 2
        atomic_thread_fence(memory_order_seq_cst);
#endif
        // The epoch may have moved on twice before anybody could see the pin.
        unsigned again = atomic_load_explicit(now, memory_order_acquire);
        if (again == epoch)
            return;
        epoch = again;
    }
}

void epoch_unpin(struct epoch_thread *thread) {
    atomic_store_explicit(&thread->pinned, 0, memory_order_release);
}

bool epoch_advance(struct epoch_thread *thread) {
    struct epoch_domain *domain = thread->domain;
    unsigned epoch = atomic_load_explicit(&domain->epoch, memory_order_acquire);
    // Others may look for this thread's pin as it looks for theirs.
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < EPOCH_THREADS; i++) {
        atomic_uint *other = &domain->threads[i].pinned;
        unsigned pinned = atomic_load_explicit(other, memory_order_acquire); // @is-pinned
        if (pinned != 0 && pinned != announcement(epoch))
            return false;
    }
    // Who fails here finds that somebody else has moved it on.
    atomic_compare_exchange_strong(&domain->epoch, &epoch, epoch + 1);
    return true;
}

int epoch_collect(struct epoch_thread *thread) {
    struct epoch_domain *domain = thread->domain;
    unsigned now = atomic_load_explicit(&domain->epoch, memory_order_acquire);
    int kept = 0;
    for (int i = 0; i < thread->limbo_count; i++) {
        struct retired one = thread->limbo[i];
        if (now - one.epoch >= GRACE)
            domain->destroy(one.object);
        else
            thread->limbo[kept++] = one;
    }
    thread->limbo_count = kept;
    return kept;
}

void epoch_retire(struct epoch_thread *thread, void *object) {
    assert(thread->limbo_count < LIMBO);
    unsigned now = atomic_load_explicit(&thread->domain->epoch, memory_order_acquire);
    thread->limbo[thread->limbo_count++] = (struct retired){object, now};
}

// ---- Harness ----------------------------------------------------------------------------------

// A configuration that is replaced as a whole, and read without a lock.
struct configuration {
    int value, check;
};

static struct epoch_domain *domain;
static _Atomic(struct configuration *) current;

static struct configuration *make(int value) {
    struct configuration *one = malloc(sizeof *one); // @make
    assert(one);
    one->value = value;
    one->check = -value;
    return one;
}

static void destroy(void *object) {
    free(object); // @reclaim
}

// Reads the configuration, which must be one of those that were ever set.
static void read_current(struct epoch_thread *thread) {
    epoch_pin(thread);
    struct configuration *one = atomic_load_explicit(&current, memory_order_acquire);
    assert(one->value + one->check == 0); // @read-value
    epoch_unpin(thread);
}

// Replaces the configuration, and lets go of the old one.
static void replace(struct epoch_thread *thread, int value) {
    struct configuration *next = make(value);
    epoch_pin(thread);
    struct configuration *old = atomic_exchange(&current, next);
    epoch_retire(thread, old);
    epoch_unpin(thread);
}

// What one thread can see by itself: two steps free what was retired, one does not.
static void test_alone(struct epoch_thread *thread) {
    replace(thread, 2);
    assert(epoch_collect(thread) == 1);
    for (int i = 0; i < GRACE; i++)
        assert(epoch_advance(thread));
    assert(epoch_collect(thread) == 0);

    // A pinned thread lets the epoch move on once, and no more.
    epoch_pin(thread);
    assert(epoch_advance(thread) && !epoch_advance(thread));
    epoch_unpin(thread);
    assert(epoch_advance(thread));
}

static void *reader(void *unused) {
    read_current(epoch_thread(domain, 0));
    return unused;
}

static void *writer(void *unused) {
    struct epoch_thread *thread = epoch_thread(domain, 1);
    epoch_advance(thread);
    replace(thread, 3);
    epoch_advance(thread);
    epoch_advance(thread);
    epoch_collect(thread);
    return unused;
}

int main(void) {
    domain = epoch_create(destroy);
    assert(domain);
    current = make(1);
    test_alone(epoch_thread(domain, 0));

    pthread_t threads[2];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);

    assert(atomic_load(&current)->value == 3);
    destroy(current);
    epoch_destroy(domain);
    return 0;
}
