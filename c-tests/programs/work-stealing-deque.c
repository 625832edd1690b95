//@ why: The owner of a work-stealing deque takes the last task by lowering the bottom and then
//@      looking at the top; a thief raises the top after it has looked at the bottom. Without a
//@      full fence the lowered bottom may wait in the store buffer while the owner looks at the
//@      top: both see the task, and if there are two, the owner takes one without a
//@      compare-and-swap that the thief took as well (SEEDED=1). On the thief's side two loads need
//@      no fence here.
//@ run: -DSEEDED=1 --preemptions 2
//@ verdict: violations
//@ tso: lower -> look-at-bottom
//@ pso: lower -> look-at-bottom
//@ run: -DSEEDED=2 --preemptions 2
//@ why: The store of the bottom hands the task over; PSO may delay the task past it.
//@ verdict: violations
//@ pso: put-task -> get-task
//@ run: -DSEEDED=3 --monitor none --preemptions 2
//@ why: The owner must compete for the last task as thieves do. Where it just takes it, a thief
//@      that has looked before takes it, too.
//@ verdict: violations
//@ assertion: once
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

// A deque of tasks, after D. Chase and Y. Lev (SPAA 2005), in C11 after N. M. Lê et al. (PPoPP
// 2013). One thread owns it, and pushes and takes at the bottom; all others steal at the top. The
// array grows as needed; old arrays are kept until the end, as a thief may still read from them.
struct deque;

// A task; never NULL.
typedef void *task;

// What a thief met.
enum steal {
    STEAL_DONE,  // it has a task
    STEAL_EMPTY, // there was none
    STEAL_LOST   // somebody else was faster; there may be more
};

// An empty deque with room for `capacity` tasks at first, a power of two; NULL without memory.
struct deque *deque_create(size_t capacity);

// Frees the deque, of which nobody makes use any more.
void deque_destroy(struct deque *deque);

// Owner: puts a task at the bottom; false if there is no memory.
bool deque_push(struct deque *deque, task one);

// Owner: takes the task at the bottom; NULL if there is none.
task deque_take(struct deque *deque);

// Thieves: tries to take the task at the top.
enum steal deque_steal(struct deque *deque, task *one);

// How many tasks there are, more or less.
size_t deque_size(struct deque *deque);

// ---- Implementation ---------------------------------------------------------------------------

#ifndef SEEDED
#define SEEDED 0
#endif

struct array {
    struct array *older;
    size_t mask;
    _Atomic(task) tasks[];
};

struct deque {
    // Thieves take here. Never goes down.
    _Atomic(ptrdiff_t) top;
    // The owner puts and takes here. Never below `top`, but for a moment within `deque_take`.
    _Atomic(ptrdiff_t) bottom;
    _Atomic(struct array *) array;
};

static struct array *array_create(size_t capacity, struct array *older) {
    struct array *array = malloc(sizeof *array + capacity * sizeof array->tasks[0]);
    if (!array)
        return NULL;
    array->older = older;
    array->mask = capacity - 1;
    return array;
}

static task array_get(struct array *array, ptrdiff_t at) {
    _Atomic(task) *place = &array->tasks[(size_t)at & array->mask];
    return atomic_load_explicit(place, memory_order_relaxed);
}

static void array_put(struct array *array, ptrdiff_t at, task one) {
    _Atomic(task) *place = &array->tasks[(size_t)at & array->mask];
    atomic_store_explicit(place, one, memory_order_relaxed);
}

struct deque *deque_create(size_t capacity) {
    assert(capacity > 0 && (capacity & (capacity - 1)) == 0);
    struct deque *deque = malloc(sizeof *deque);
    if (!deque)
        return NULL;
    struct array *array = array_create(capacity, NULL);
    if (!array) {
        free(deque);
        return NULL;
    }
    atomic_init(&deque->top, 0);
    atomic_init(&deque->bottom, 0);
    atomic_init(&deque->array, array);
    return deque;
}

void deque_destroy(struct deque *deque) {
    if (!deque)
        return;
    struct array *array = atomic_load_explicit(&deque->array, memory_order_relaxed);
    for (struct array *older; array; array = older) {
        older = array->older;
        free(array);
    }
    free(deque);
}

size_t deque_size(struct deque *deque) {
    ptrdiff_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    ptrdiff_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    return bottom > top ? (size_t)(bottom - top) : 0;
}

// Owner: an array of twice the size with the same tasks in place of a full one.
static struct array *grow(struct deque *deque, struct array *old, ptrdiff_t top, ptrdiff_t bottom) {
    struct array *array = array_create(2 * (old->mask + 1), old);
    if (!array)
        return NULL;
    for (ptrdiff_t at = top; at < bottom; at++)
        array_put(array, at, array_get(old, at));
    atomic_store_explicit(&deque->array, array, memory_order_release);
    return array;
}

bool deque_push(struct deque *deque, task one) {
    ptrdiff_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    ptrdiff_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    struct array *array = atomic_load_explicit(&deque->array, memory_order_relaxed);
    if ((size_t)(bottom - top) > array->mask)
        array = grow(deque, array, top, bottom);
    if (!array)
        return false;
    array_put(array, bottom, one); // @put-task
#if SEEDED != 2
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    return true;
}

// Competes with thieves for the task at the top.
static bool win(struct deque *deque, ptrdiff_t top) {
    return atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                   memory_order_relaxed);
}

task deque_take(struct deque *deque) {
    ptrdiff_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed) - 1;
    struct array *array = atomic_load_explicit(&deque->array, memory_order_relaxed);
    atomic_store_explicit(&deque->bottom, bottom, memory_order_relaxed); // @lower
#if SEEDED != 1
    atomic_thread_fence(memory_order_seq_cst);
#endif
    ptrdiff_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    if (top < bottom)
        return array_get(array, bottom);
    task one = NULL;
    if (top == bottom) {
        // The last one.
        one = array_get(array, bottom);
#if SEEDED == 3
        atomic_store_explicit(&deque->top, top + 1, memory_order_seq_cst);
#else
        if (!win(deque, top))
            one = NULL;
#endif
    }
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    return one;
}

enum steal deque_steal(struct deque *deque, task *one) {
    ptrdiff_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    ptrdiff_t bottom =
        atomic_load_explicit(&deque->bottom, memory_order_acquire); // @look-at-bottom
    if (top >= bottom)
        return STEAL_EMPTY;
    struct array *array = atomic_load_explicit(&deque->array, memory_order_acquire);
    *one = array_get(array, top); // @get-task
    return win(deque, top) ? STEAL_DONE : STEAL_LOST;
}

// ---- Harness ----------------------------------------------------------------------------------

// What is done is to count how often each task was.
enum { TASKS = 3, THIEVES = 2 };

static struct deque *shared;
static int numbers[TASKS] = {0, 1, 2};
static atomic_int done[TASKS];

static void run(task one) { atomic_fetch_add(&done[*(int *)one], 1); }

// What the owner can see of the deque by itself: last in first out, a thief's order, growth.
static void test_alone(void) {
    task one;
    assert(!deque_take(shared) && deque_steal(shared, &one) == STEAL_EMPTY);
    for (int i = 0; i < TASKS; i++)
        assert(deque_push(shared, &numbers[i]));
    assert(deque_size(shared) == TASKS);
    assert(deque_steal(shared, &one) == STEAL_DONE && one == &numbers[0]);
    assert(deque_take(shared) == &numbers[2]);
    assert(deque_take(shared) == &numbers[1]);
    assert(!deque_take(shared) && deque_size(shared) == 0);
}

static void *owner(void *unused) {
    assert(deque_push(shared, &numbers[1]));
    for (task one; (one = deque_take(shared));)
        run(one);
    return unused;
}

static void *thief(void *unused) {
    task one;
    if (deque_steal(shared, &one) == STEAL_DONE)
        run(one);
    return unused;
}

int main(void) {
    shared = deque_create(2);
    assert(shared);
    test_alone();
    deque_push(shared, &numbers[0]);

    pthread_t threads[1 + THIEVES];
    pthread_create(&threads[0], NULL, owner, NULL);
    for (int i = 0; i < THIEVES; i++)
        pthread_create(&threads[1 + i], NULL, thief, NULL);
    for (int i = 0; i < 1 + THIEVES; i++)
        pthread_join(threads[i], NULL);

    // The owner goes on until nothing is left, so each task was done, and done once.
    assert(done[0] == 1 && done[1] == 1); // @once
    deque_destroy(shared);
    return 0;
}
