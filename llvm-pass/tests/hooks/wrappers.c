// The bodies of wrappers stand in the place of their calls, and their accesses are where these are.
#include <pthread.h>
#include <stdatomic.h>
#include <stdarg.h>

int word, other;
_Atomic int atomic;
volatile int flag;
pthread_mutex_t mutex;

static int get(int *from) { return *from; }
static void put(int *to, int value) { *to = value; }
static inline int get_twice_removed(int *from) { return get(from); }
static void barrier(void) { __sync_synchronize(); }
static void locked(int *to) { __asm__ volatile("lock; incl %0" : "+m"(*to)); }
static void await(volatile int *from) {
    while (!*from)
        ;
}
static _Bool swap(_Atomic int *at, int *expected, int desired) {
    return atomic_compare_exchange_strong(at, expected, desired);
}
static void lock(pthread_mutex_t *one) { pthread_mutex_lock(one); }

int one_level(void) {
    put(&word, 1);      //> store4 word
    barrier();          //> fence seq_cst
    locked(&other);     //> rmw4 add seq_cst other
    lock(&mutex);       //> site
    return get(&other); //> load4 other
}

int two_levels(void) {
    return get_twice_removed(&word); //> load4 word
}

int out_parameter(void) {
    int expected = 1;
    swap(&atomic, &expected, 2); //> cas4 seq_cst seq_cst atomic
    return expected;
}

int in_a_loop(void) {
    int sum = 0;
    await(&flag);              //> loop; load4 flag
    while (get(&word) != sum)  //> loop; load4 word
        sum++;
    return sum;
}

// What is more than one access, or names its variable, is a place of its own.
static int two(int *from) {
    return from[0] + from[1]; //> load4 *from; load4 from[1]
}
static int named(void) {
    return word; //> load4 word
}
int not_wrapped(int *pair) {
    return two(pair) + named();
}

// What others may call stays itself. What is always inlined has its own lines, if it is more than a wrapper. The body of
// an `inline` function without `extern` is this file's own, and gone once it stands in the place of its calls.
int visible(int *from) {
    return *from; //> load4 *from
}
inline __attribute__((always_inline)) int several(int *from) {
    return from[0] + //> load4 *from
           from[1]; //> load4 from[1]
}
int calls(int *pair) {
    return visible(pair) +
           several(pair);
}

// A function whose address is taken is there, too.
static int taken(int *from) {
    return *from; //> load4 *from
}
int (*volatile pointer)(int *) = taken;
int indirect(void) {
    return taken(&word) + //> load4 word
           pointer(&word); //> load8 pointer; site
}

// Transactions, atomic blocks, and functions that call themselves are not taken apart.
__attribute__((annotate("fencehound.atomic"))) static void transaction(int *to) { //> transaction_begin; transaction_end
    *to = 1; //> store4 *to
}
static void __VERIFIER_atomic_put(int *to) { //> block_begin; block_end
    *to = 1; //> store4 *to
}
static inline __attribute__((always_inline)) int recursive(int *from, int times) {
    return times ? recursive(from, times - 1) : *from; //> load4 *from
}
static int variadic(int *from, ...) {
    va_list rest;
    va_start(rest, from);
    int sum = va_arg(rest, int) + *from; //> load4 *from
    va_end(rest);
    return sum;
}
int kept(void) {
    transaction(&word);
    __VERIFIER_atomic_put(&word);
    return recursive(&word, 2) + variadic(&word, 1);
}

// A local variable that others may know of keeps its function.
extern void know(int *);
static inline __attribute__((always_inline)) int with_local(void) { //> local
    int own = 1; //> store4 own
    know(&own); //> external know unknown; external_pointer; external_returns
    return own; //> load4 own
}
int keeps_local(void) {
    return with_local();
}
