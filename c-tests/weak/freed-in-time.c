//@ why: Each use happens before the free by what C11 says of the calls between them: a thread's
//@      end before its join, an unlock before the next lock, a release before the acquire that
//@      reads from it, through a third thread as well, and by fences. So no machine has it behind
//@      the free (Batty, Memarian, Owens, Sarkar and Sewell, "Clarifying and compiling C/C++
//@      concurrency: from C++11 to POWER", POPL 2012). In the stack of Treiber nodes are freed
//@      once nobody else can know them; a release publishes each, an acquire takes it.
//@ run: -DJOIN --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DJOIN --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DJOIN --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DJOIN --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DMUTEX --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DMUTEX --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DMUTEX --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DMUTEX --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DHANDED_ON --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DHANDED_ON --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DHANDED_ON --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DHANDED_ON --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DFENCES --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DFENCES --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DFENCES --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DFENCES --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSTACK --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DSTACK --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DSTACK --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DSTACK --model c11
//@ verdict: clean
//@ models: c11 harmless
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *block;

#if defined(JOIN)
static void *user(void *unused) {
    *block = 2;
    return unused;
}

static void *finisher(void *unused) { return unused; }

static void after_both(void) { free(block); }

#elif defined(MUTEX)
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_gone;

static void *user(void *unused) {
    pthread_mutex_lock(&mutex);
    if (!is_gone)
        *block = 2;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *finisher(void *unused) {
    pthread_mutex_lock(&mutex);
    is_gone = 1;
    pthread_mutex_unlock(&mutex);
    free(block);
    return unused;
}

static void after_both(void) {}

#elif defined(HANDED_ON)
static atomic_int used, told;
static int is_freed;

static void *teller(void *unused) {
    if (atomic_load_explicit(&used, memory_order_acquire))
        atomic_store_explicit(&told, 1, memory_order_release);
    return unused;
}

static void *user(void *unused) {
    pthread_t other;
    pthread_create(&other, 0, teller, 0);
    *block = 2;
    atomic_store_explicit(&used, 1, memory_order_release);
    pthread_join(other, 0);
    return unused;
}

static void *finisher(void *unused) {
    is_freed = atomic_load_explicit(&told, memory_order_acquire);
    if (is_freed)
        free(block);
    return unused;
}

static void after_both(void) {
    if (!is_freed)
        free(block);
}

#elif defined(FENCES)
static atomic_int used;
static int is_freed;

static void *user(void *unused) {
    *block = 2;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&used, 1, memory_order_relaxed);
    return unused;
}

static void *finisher(void *unused) {
    is_freed = atomic_load_explicit(&used, memory_order_relaxed);
    if (is_freed) {
        atomic_thread_fence(memory_order_acquire);
        free(block);
    }
    return unused;
}

static void after_both(void) {
    if (!is_freed)
        free(block);
}

#elif defined(STACK)
struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;

static void push(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(&top, &node->next, node, memory_order_release,
                                                    memory_order_relaxed)) {
    }
}

static void empty(void) {
    struct node *next;
    for (struct node *node = atomic_exchange_explicit(&top, 0, memory_order_acquire); node;
         node = next) {
        next = node->next;
        node->value++;
        free(node);
    }
}

static void *user(void *unused) {
    push(1);
    return unused;
}

static void *finisher(void *unused) {
    push(2);
    empty();
    return unused;
}

static void after_both(void) {
    empty();
    free(block);
}
#endif

int main(void) {
    pthread_t a, b;
    block = malloc(sizeof *block);
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, finisher, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    after_both();
}
