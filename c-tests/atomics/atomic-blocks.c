//@ why: An atomic block is one indivisible event. Two created threads of one event each have
//@      5 interleavings, of two events each 19. COUNT: no increment is lost. BUFFERED: a store in
//@      a block is interlocked, so store buffering has no violation. PUBLISHED: under PSO a block
//@      drains what it writes itself, and z may still wait. READERS: loads in a block conflict
//@      with no load, else st z, ld x, block, ld z would close a cycle. ASSUMED: of the 5
//@      interleavings, the one in which the block comes before the store is dropped. WAITS: nobody
//@      else takes the mutex, so the block does not have to wait. dpor: all blocks are ordered,
//@      and a block with every access to what it accesses. COUNT: two blocks, two orders.
//@      BUFFERED: whichever block comes first, the load behind it comes before or after the other
//@      one, and the load behind that one after both. PUBLISHED, READERS: if the load of x comes
//@      after the block (before it), what is done with z is ordered already; else there are two
//@      orders. ASSUMED: the block comes before the store or after it.
//@ run: -DWHAT=COUNT --preemptions none
//@ verdict: clean
//@ executions: 5
//@ run: -DWHAT=BUFFERED --preemptions none
//@ verdict: clean
//@ executions: 19
//@ run: -DWHAT=PUBLISHED --preemptions none
//@ verdict: violations
//@ executions: 19
//@ pso: store-z -> load-z
//@ run: -DWHAT=READERS --preemptions none
//@ verdict: clean
//@ executions: 19
//@ run: -DWHAT=ASSUMED --preemptions none
//@ verdict: clean
//@ executions: 4
//@ blocked: 1
//@ run: -DWHAT=ENDS
//@ verdict: violations
//@ misuse: end
//@ run: -DWHAT=LEFT
//@ verdict: violations
//@ misuse: left
//@ run: -DWHAT=WAITS
//@ verdict: clean
//@ run: -DWHAT=COUNT --explorer dpor
//@ verdict: clean
//@ executions: 2
//@ run: -DWHAT=BUFFERED --explorer dpor
//@ verdict: clean
//@ executions: 4
//@ run: -DWHAT=PUBLISHED --explorer dpor
//@ verdict: violations
//@ executions: 3
//@ pso: store-z -> load-z
//@ run: -DWHAT=READERS --explorer dpor
//@ verdict: clean
//@ executions: 3
//@ run: -DWHAT=ASSUMED --explorer dpor
//@ verdict: clean
//@ executions: 1
//@ blocked: 1
//@ run: -DWHAT=ENDS --explorer dpor
//@ verdict: violations
//@ misuse: end
//@ run: -DWHAT=LEFT --explorer dpor
//@ verdict: violations
//@ misuse: left
//@ run: -DWHAT=WAITS --explorer dpor
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);

enum { COUNT, BUFFERED, PUBLISHED, READERS, ASSUMED, ENDS, LEFT, WAITS };

volatile int x, y, z;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int __VERIFIER_atomic_store_and_get(volatile int *to, volatile int *from) {
    int found = *from;
    *to = 1;
    return found;
}

void __VERIFIER_atomic_assumes_x(void) {
    __VERIFIER_assume(x == 1);
    y = 1;
}

static void count(void) {
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_begin();
    y++;
    __VERIFIER_atomic_end();
    assert(x == y);
    __VERIFIER_atomic_end();
}

static void *left(void *unused) {
    int found = 0;
    switch (WHAT) {
    case COUNT:
        count();
        break;
    case BUFFERED:
        __VERIFIER_atomic_begin();
        x = 1;
        __VERIFIER_atomic_end();
        found = y;
        break;
    case PUBLISHED:
        z = 1; // @store-z
        __VERIFIER_atomic_begin();
        x = 1;
        __VERIFIER_atomic_end();
        break;
    case READERS:
        z = 1;
        found = x;
        break;
    case ASSUMED:
        x = 1;
        break;
    case ENDS:
        __VERIFIER_atomic_end(); // @end
        break;
    case LEFT:
        __VERIFIER_atomic_begin(); // @left
        break;
    case WAITS:
        __VERIFIER_atomic_begin();
        pthread_mutex_lock(&mutex);
        __VERIFIER_atomic_end();
        break;
    }
    return found ? unused : NULL;
}

static void *right(void *unused) {
    int found = 0;
    switch (WHAT) {
    case COUNT:
        count();
        break;
    case BUFFERED:
        __VERIFIER_atomic_begin();
        y = 1;
        __VERIFIER_atomic_end();
        found = x;
        break;
    case PUBLISHED:
        found = x;
        found += z; // @load-z
        break;
    case READERS:
        found = __VERIFIER_atomic_store_and_get(&y, &x);
        found += z;
        break;
    case ASSUMED:
        __VERIFIER_atomic_assumes_x();
        break;
    }
    return found ? unused : NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    if (WHAT == COUNT)
        assert(x == 2 && y == 2);
    return 0;
}
