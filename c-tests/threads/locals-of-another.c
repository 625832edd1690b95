//@ why: A local variable whose address another thread is given is shared: here the two threads
//@      store and load two locals of main, which is store buffering.
//@ run: --preemptions none
//@ verdict: violations
//@ tso: store-mine -> load-other
//@ pso: store-mine -> load-other
//@ run: -DFENCED --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct view {
    int *mine;
    int *other;
};

static void *body(void *argument) {
    struct view view = *(struct view *)argument;
    *view.mine = 1; // @store-mine
#ifdef FENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    return (void *)(intptr_t)*view.other; // @load-other
}

int main(void) {
    int x = 0, y = 0;
    struct view left = {&x, &y}, right = {&y, &x};
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, body, &left);
    pthread_create(&threads[1], NULL, body, &right);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
