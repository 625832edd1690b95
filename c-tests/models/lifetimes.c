//@ why: What is used after its end in some execution of the model, as the explorers of
//@      interleavings say it. A thread reads a block that main may free at once (BLOCK);
//@      with a flag that says that it is done, main frees it behind the read (DONE), or
//@      behind the join of the thread (AFTER). Under PSO a store to the block may still
//@      wait when a relaxed flag says that it is done (LATE). A hazard pointer needs a
//@      full fence between the store that protects and the look whether the block is still
//@      there: without, TSO lets the look go first, and the block is freed under the
//@      reader (HAZARD, FENCED). A block that two threads free is freed twice, and what is
//@      no beginning of a block cannot be freed (TWICE, WITHIN). A wait loop reads a freed
//@      block in a round that comes to nothing (POLLS). A mutex or barrier is used behind
//@      its end (MUTEX, BARRIER), or ends while it is held, unless it has begun anew
//@      (ANEW), and a thread is joined twice (JOINED). A local variable is read when its
//@      function has returned (LOCAL).
//@ verdict: violations
//@ run: -DBLOCK --explorer rsmc
//@ use-after-free: free read allocate
//@ run: -DBLOCK --model tso
//@ use-after-free: free read allocate
//@ run: -DBLOCK --preemptions none --monitor none
//@ use-after-free: free read allocate
//@ run: -DDONE --model tso
//@ verdict: clean
//@ run: -DDONE --preemptions none --monitor none
//@ verdict: clean
//@ run: -DLATE --model tso
//@ verdict: clean
//@ run: -DLATE --model pso
//@ use-after-free: free-late write-late allocate
//@ run: -DAFTER --model tso
//@ verdict: clean
//@ run: -DAFTER --model pso
//@ verdict: clean
//@ run: -DAFTER --model power
//@ verdict: clean
//@ run: -DHAZARD --explorer rsmc
//@ verdict: clean
//@ run: -DHAZARD --model tso
//@ use-after-free: free-hazard read-hazard allocate
//@ run: -DHAZARD -DFENCED --model tso
//@ verdict: clean
//@ run: -DTWICE --model tso
//@ double-free: free-here free-there allocate
//@ run: -DWITHIN --model tso
//@ invalid-free: within allocate
//@ run: -DPOLLS --model tso
//@ use-after-free: free-polled poll allocate
//@ run: -DPOLLS --preemptions none --monitor none
//@ use-after-free: free-polled poll allocate
//@ run: -DMUTEX --model tso
//@ misuse: destroy lock, lock destroy
//@ run: -DMUTEX -DANEW --model tso
//@ misuse: destroy lock, lock destroy
//@ run: -DMUTEX -DDONE --model tso
//@ verdict: clean
//@ run: -DMUTEX -DDONE -DANEW --model tso
//@ verdict: clean
//@ run: -DBARRIER --model tso
//@ misuse: end-barrier barrier
//@ run: -DJOINED --model tso
//@ misuse: join-here join-there
//@ run: -DLOCAL --model tso
//@ use-after-free: read-local local
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define LOAD(p) atomic_load_explicit(p, memory_order_relaxed)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

static int *block;
static atomic_int done, stop;
static pthread_mutex_t mutex;
static pthread_barrier_t barrier;
static pthread_t other;
static atomic_int *_Atomic hazard, *_Atomic shared;
static atomic_int *_Atomic local;

#if defined LATE
static void *thread(void *unused) {
    *block = 1; // @write-late
    STORE(&done, 1);
    return unused;
}

static void work(void) {
    if (LOAD(&done))
        free(block); // @free-late
}
#elif defined AFTER
static void *thread(void *unused) {
    *block = 1;
    return unused;
}

static void work(void) {}
#elif defined HAZARD
static void *thread(void *unused) {
    atomic_int *own = LOAD(&shared);
    STORE(&hazard, own);
#ifdef FENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    if (own && LOAD(&shared) == own)
        (void)LOAD(own); // @read-hazard
    return unused;
}

static void work(void) {
    atomic_int *old = LOAD(&shared);
    STORE(&shared, NULL);
    atomic_thread_fence(memory_order_seq_cst);
    if (LOAD(&hazard) != old)
        free(old); // @free-hazard
}
#elif defined TWICE
static void *thread(void *unused) {
    free(block); // @free-here
    return unused;
}

static void work(void) {
    free(block); // @free-there
}
#elif defined WITHIN
static void *thread(void *unused) { return unused; }

static void work(void) {
    free(block + 1); // @within
}
#elif defined POLLS
static void *thread(void *unused) {
    while (!LOAD(&stop))
        (void)LOAD((atomic_int *)block); // @poll
    return unused;
}

static void work(void) {
    free(block); // @free-polled
    STORE(&stop, 1);
}
#elif defined MUTEX
static void *thread(void *unused) {
    pthread_mutex_lock(&mutex); // @lock
    pthread_mutex_unlock(&mutex);
    atomic_store(&done, 1);
    return unused;
}

static void work(void) {
#ifdef DONE
    if (!atomic_load(&done))
        return;
#endif
    pthread_mutex_destroy(&mutex); // @destroy
#ifdef ANEW
    pthread_mutex_init(&mutex, NULL);
#ifdef DONE
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#endif
#endif
}
#elif defined BARRIER
static void *thread(void *unused) {
    pthread_barrier_wait(&barrier); // @barrier
    return unused;
}

static void work(void) {
    pthread_barrier_destroy(&barrier); // @end-barrier
}
#elif defined JOINED
static void *nothing(void *unused) { return unused; }

static void *thread(void *unused) {
    pthread_join(other, NULL); // @join-here
    return unused;
}

static void work(void) {
    pthread_join(other, NULL); // @join-there
}
#elif defined LOCAL
static void *thread(void *unused) {
    atomic_int *known = LOAD(&local);
    if (known)
        (void)LOAD(known); // @read-local
    return unused;
}

static void publish(void) { // @local
    atomic_int own = 0;
    STORE(&local, &own);
}

static void work(void) {
    publish();
    publish();
}
#else
static void *thread(void *unused) {
    (void)LOAD((atomic_int *)block); // @read
    atomic_store(&done, 1);
    return unused;
}

static void work(void) {
#ifdef DONE
    if (!atomic_load(&done))
        return;
#endif
    free(block); // @free
}
#endif

int main(void) {
    pthread_t created;
    block = calloc(2, sizeof *block); // @allocate
    STORE(&shared, (atomic_int *)block);
    pthread_mutex_init(&mutex, NULL);
    pthread_barrier_init(&barrier, NULL, 1);
#ifdef JOINED
    pthread_create(&other, NULL, nothing, NULL);
#endif
    pthread_create(&created, NULL, thread, NULL);
    work();
    pthread_join(created, NULL);
#ifdef AFTER
    free(block);
#endif
    return 0;
}
