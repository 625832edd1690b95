//@ why: Each of two threads raises its flag; where it sees the other's it lowers its own and
//@      tries again. If both raise before either looks, both try again: as often as the schedule
//@      likes, so without a bound on preemptions there are executions of every length and the
//@      search cannot end. After such rounds all is as it was, so they are recognised, and the
//@      loop is named long before an execution reaches the default limit of events; with lower
//@      limits of events or of memory, these come first. Each round that both lose takes a
//@      preemption between a store and a load, so with at most two preemptions all searches end.
//@ run: --explorer dpor --monitor none -j 1
//@ verdict: incomplete
//@ stopped-by: rounds
//@ busiest-loop: again
//@ run: --explorer bounded --preemptions none --monitor none
//@ verdict: incomplete
//@ stopped-by: rounds
//@ busiest-loop: again
//@ run: --explorer dpor --monitor none --max-events 100
//@ verdict: incomplete
//@ stopped-by: events
//@ busiest-loop: again
//@ run: --explorer dpor --monitor none --max-memory 1
//@ verdict: incomplete
//@ stopped-by: memory
//@ busiest-loop: again
//@ run: --explorer dpor --preemptions 2 --monitor none
//@ verdict: clean
//@ run: --explorer bounded --preemptions 2 --monitor none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flags[2];

static void *polite(void *mine) {
    int own = (int)(long)mine;
    for (;;) {
        flags[own] = 1; // @again
        if (!flags[1 - own])
            break;
        flags[own] = 0;
    }
    flags[own] = 0;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, polite, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
