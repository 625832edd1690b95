//@ why: A work-stealing queue as SOBER's takequeue (CAV 2008): the owner pushes and pops at the
//@      tail without a lock unless it meets a thief; thieves take at the head under the lock. Both
//@      say what they take before they look what the other one takes: store buffering between head
//@      and tail. Two full fences stop it. The counters only go in and out of the queue, so nothing
//@      else is written by one side and read by the other but the tasks, which TSO keeps in order.
//@      Under PSO the task may come after the tail that says that it is there.
//@ run: --preemptions 1
//@ verdict: violations
//@ tso: lower-tail -> look-at-tail, raise-head -> look-at-head
//@ pso: lower-tail -> look-at-tail, raise-head -> look-at-head, set-task -> get-task
//@ run: -DFENCED --preemptions 2
//@ verdict: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The fences that are there, by number: all with FENCED, but that of WITHOUT; or those of the bits
// of FENCES.
#ifndef WITHOUT
#define WITHOUT 0
#endif
#ifndef FENCES
#ifdef FENCED
#define FENCES ~(1U << WITHOUT)
#else
#define FENCES 0U
#endif
#endif
#define FENCE(number, order) ((FENCES >> (number) & 1) ? atomic_thread_fence(order) : (void)0)

enum { SIZE = 4 };

// Tasks are at the positions head ... tail-1.
volatile int head, tail, tasks[SIZE];
pthread_mutex_t thieves = PTHREAD_MUTEX_INITIALIZER;

static void push(int task) {
    int end = tail;
    tasks[end % SIZE] = task; // @set-task
    FENCE(3, memory_order_release);
    tail = end + 1;
}

static bool pop(int *task) {
    int end = tail - 1;
    tail = end; // @lower-tail
    FENCE(1, memory_order_seq_cst);
    if (head <= end) { // @look-at-head
        *task = tasks[end % SIZE];
        return true;
    }
    // A thief may have the last one: without thieves around it is clear who has it.
    pthread_mutex_lock(&thieves);
    bool is_there = head <= end;
    if (is_there)
        *task = tasks[end % SIZE];
    else
        tail = end + 1;
    pthread_mutex_unlock(&thieves);
    return is_there;
}

static bool steal(int *task) {
    pthread_mutex_lock(&thieves);
    int begin = head;
    head = begin + 1; // @raise-head
    FENCE(2, memory_order_seq_cst);
    bool is_there = begin < tail; // @look-at-tail
    if (is_there)
        *task = tasks[begin % SIZE]; // @get-task
    else
        head = begin;
    pthread_mutex_unlock(&thieves);
    return is_there;
}

static void *owner(void *sum) {
    int task;
    push(1);
    push(2);
    for (int i = 0; i < 2; i++)
        if (pop(&task))
            *(int *)sum += task;
    return NULL;
}

static void *thief(void *sum) {
    int task;
    for (int i = 0; i < 2; i++)
        if (steal(&task))
            *(int *)sum += task;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    static int sums[2];
    pthread_create(&threads[0], NULL, owner, &sums[0]);
    pthread_create(&threads[1], NULL, thief, &sums[1]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(sums[0] + sums[1] == 1 + 2);
    return 0;
}
