//@ why: The reader looks at the data only if it has seen the flag. C11 orders the two if the
//@      store of the flag releases and the load acquires, or fences beside relaxed accesses do
//@      so, or a read-modify-write of a third thread stands in between and continues the release
//@      sequence. It does not if one of the two sides is relaxed, if the third thread stores
//@      instead, or if the flag is not atomic: then the flag itself is in a race as well. In a
//@      sequentially consistent execution the program does the same in all cases, and no monitor
//@      of a memory model that keeps loads and stores in order can tell.
//@ run: --monitor race -DSTORE=memory_order_release -DLOAD=memory_order_acquire
//@ verdict: clean
//@ run: --monitor race -DSTORE=memory_order_relaxed -DLOAD=memory_order_acquire
//@ verdict: violations
//@ race: store-data load-data
//@ run: --monitor race -DSTORE=memory_order_release -DLOAD=memory_order_relaxed
//@ verdict: violations
//@ race: store-data load-data
//@ run: --monitor race -DFENCES -DSTORE=memory_order_relaxed -DLOAD=memory_order_relaxed
//@ verdict: clean
//@ run: --monitor race -DTHIRD=fetch -DSTORE=memory_order_release -DLOAD=memory_order_acquire
//@ verdict: clean
//@ run: --monitor race -DTHIRD=overwrite -DSTORE=memory_order_release -DLOAD=memory_order_acquire
//@ verdict: violations
//@ race: store-data load-data
//@ run: --monitor race -DPLAIN
//@ verdict: violations
//@ race: store-data load-data, store-flag load-flag
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

int data;

#ifdef PLAIN
volatile int flag;
#define SET() (flag = 1)
#define GET() flag
#else
atomic_int flag;
#define SET() atomic_store_explicit(&flag, 1, STORE)
#define GET() atomic_load_explicit(&flag, LOAD)
#endif

#ifdef FENCES
#define FENCE(order) atomic_thread_fence(order)
#else
#define FENCE(order) ((void)0)
#endif

static void *writer(void *unused) {
    data = 1; // @store-data
    FENCE(memory_order_release);
    SET(); // @store-flag
    return unused;
}

static void *reader(void *unused) {
    (void)unused;
    int seen = GET(); // @load-flag
    FENCE(memory_order_acquire);
    return (void *)(intptr_t)(seen ? data : 0); // @load-data
}

#ifdef THIRD
static void fetch(void) { atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed); }
static void overwrite(void) { atomic_store_explicit(&flag, 2, memory_order_release); }

static void *third(void *unused) {
    (void)fetch, (void)overwrite;
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        THIRD();
    return unused;
}
#endif

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
#ifdef THIRD
    pthread_create(&threads[2], NULL, third, NULL);
    pthread_join(threads[2], NULL);
#endif
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return data == 1 ? 0 : 1;
}
