//@ why: Lock-free programs as they are meant, each of which waits in loops: a single-producer
//@      ring, a sequence lock, a ticket lock, two flags that hand a turn to and fro, two messages
//@      at once, the lock of Peterson, a queue lock. A store may wait in the buffer while a later
//@      load of another variable is performed, so some have executions that are not sequentially
//@      consistent; but what is read is always what was released, and no assertion fails.
//@      Peterson's lock needs its full fence even under TSO: with -DBROKEN both threads read the
//@      flags before either is seen, and both go in. Elsewhere -DBROKEN takes the release away,
//@      which TSO does not need, since it keeps stores in order; under PSO the data of the ring,
//@      of the sequence lock, of the turns and of the messages are seen after their flag, the
//@      counter of the ticket lock loses an increment, and the next in the queue sees the one
//@      before it inside. `cli/tests/whole/consequences.rs` asks what comes of each SC violation
//@      of these.
//@ verdict: clean
//@ run: -DRING --model tso
//@ run: -DRING --model pso
//@ run: -DRING -DBROKEN --model tso
//@ run: -DRING -DBROKEN --model pso
//@ verdict: violations
//@ assertion: ring
//@ run: -DSEQUENCE --model tso
//@ run: -DSEQUENCE --model pso
//@ run: -DSEQUENCE -DBROKEN --model tso
//@ run: -DSEQUENCE -DBROKEN --model pso
//@ verdict: violations
//@ assertion: sequence
//@ run: -DTICKET --model tso
//@ run: -DTICKET --model pso
//@ run: -DTICKET -DBROKEN --model tso
//@ run: -DTICKET -DBROKEN --model pso
//@ verdict: violations
//@ assertion: ticket
//@ run: -DTURNS --model tso
//@ run: -DTURNS --model pso
//@ run: -DTURNS -DBROKEN --model tso
//@ run: -DTURNS -DBROKEN --model pso
//@ verdict: violations
//@ assertion: turns
//@ run: -DMESSAGES --model tso
//@ run: -DMESSAGES --model pso
//@ run: -DMESSAGES -DBROKEN --model tso
//@ run: -DMESSAGES -DBROKEN --model pso
//@ verdict: violations
//@ assertion: messages
//@ run: -DPETERSON --model tso
//@ run: -DPETERSON --model pso
//@ run: -DPETERSON -DBROKEN --model tso
//@ verdict: violations
//@ assertion: peterson
//@ run: -DPETERSON -DBROKEN --model pso
//@ verdict: violations
//@ assertion: peterson
//@ run: -DQUEUE --model tso
//@ run: -DQUEUE --model pso
//@ run: -DQUEUE -DBROKEN --model tso
//@ run: -DQUEUE -DBROKEN --model pso
//@ verdict: violations
//@ assertion: queue
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef BROKEN
#define RELEASE memory_order_relaxed
#define FENCE()
#else
#define RELEASE memory_order_release
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif
#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#define ACQUIRE_LOAD(p) atomic_load_explicit(p, memory_order_acquire)
#define RELEASE_STORE(p, v) atomic_store_explicit(p, v, RELEASE)

#if defined RING
enum { ITEMS = 3, SLOTS = 2 };
static int slots[SLOTS];
static atomic_int head, tail;

static void *first(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        while (i - ACQUIRE_LOAD(&tail) == SLOTS)
            ;
        slots[i % SLOTS] = i + 1;
        RELEASE_STORE(&head, i + 1);
    }
    return unused;
}

static void *second(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        while (ACQUIRE_LOAD(&head) == i)
            ;
        assert(slots[i % SLOTS] == i + 1); // @ring
        RELEASE_STORE(&tail, i + 1);
    }
    return unused;
}
#elif defined SEQUENCE
static atomic_int number, x, y;

static void *first(void *unused) {
    for (int i = 1; i <= 2; i++) {
        STORE(&number, 2 * i - 1);
#ifndef BROKEN
        atomic_thread_fence(memory_order_release);
#endif
        STORE(&x, i);
        STORE(&y, i);
        RELEASE_STORE(&number, 2 * i);
    }
    return unused;
}

static void *second(void *unused) {
    int before, after, a, b;
    do {
        before = ACQUIRE_LOAD(&number);
        a = LOAD(&x);
        b = LOAD(&y);
        atomic_thread_fence(memory_order_acquire);
        after = LOAD(&number);
    } while (before != after || before % 2);
    assert(a == b); // @sequence
    return unused;
}
#elif defined TICKET
static atomic_int next, owner;
static int counter;

static void *first(void *unused) {
    int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (ACQUIRE_LOAD(&owner) != ticket)
        ;
    int old = counter;
    counter = old + 1;
    assert(old == ticket); // @ticket
    RELEASE_STORE(&owner, ticket + 1);
    return unused;
}
#define second first
#elif defined TURNS
static atomic_int here, there;
static int sent, answered;

static void *first(void *unused) {
    for (int i = 1; i <= 2; i++) {
        sent = i;
        RELEASE_STORE(&there, i);
        while (ACQUIRE_LOAD(&here) != i)
            ;
        assert(answered == i); // @turns
    }
    return unused;
}

static void *second(void *unused) {
    for (int i = 1; i <= 2; i++) {
        while (ACQUIRE_LOAD(&there) != i)
            ;
        answered = sent;
        RELEASE_STORE(&here, i);
    }
    return unused;
}
#elif defined MESSAGES
static atomic_int sent[2];
static int message[2];

static void *exchange(int me) {
    message[me] = 1;
    RELEASE_STORE(&sent[me], 1);
    while (!ACQUIRE_LOAD(&sent[!me]))
        ;
    assert(message[!me]); // @messages
    return NULL;
}
#define SIDE exchange
#elif defined PETERSON
static atomic_int flag[2], turn, inside;

static void *enter(int me) {
    STORE(&flag[me], 1);
    RELEASE_STORE(&turn, !me);
    FENCE();
    while (ACQUIRE_LOAD(&flag[!me]) && ACQUIRE_LOAD(&turn) == !me)
        ;
    STORE(&inside, LOAD(&inside) + 1);
    assert(LOAD(&inside) == 1); // @peterson
    STORE(&inside, 0);
    atomic_store_explicit(&flag[me], 0, memory_order_release);
    return NULL;
}
#define SIDE enter
#else
struct node {
    struct node *_Atomic next;
    atomic_int waits;
};
static struct node nodes[2];
static struct node *_Atomic last;
static int inside;

static void *enter(int me) {
    struct node *own = &nodes[me];
    STORE(&own->waits, 1);
    struct node *before = atomic_exchange_explicit(&last, own, memory_order_acq_rel);
    if (before) {
        RELEASE_STORE(&before->next, own);
        while (ACQUIRE_LOAD(&own->waits))
            ;
    }
    assert(!inside); // @queue
    inside = 1;
    inside = 0;
    struct node *expected = own;
    if (!ACQUIRE_LOAD(&own->next)) {
        if (atomic_compare_exchange_strong_explicit(&last, &expected, NULL, RELEASE,
                                                    memory_order_relaxed))
            return NULL;
        while (!ACQUIRE_LOAD(&own->next))
            ;
    }
    RELEASE_STORE(&ACQUIRE_LOAD(&own->next)->waits, 0);
    return NULL;
}
#define SIDE enter
#endif

#ifdef SIDE
static void *first(void *unused) {
    (void)unused;
    return SIDE(0);
}

static void *second(void *unused) {
    (void)unused;
    return SIDE(1);
}
#endif

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
