//@ why: Three philosophers, each with a fork in the left hand, wait for each other in a circle; and
//@      a thread that waits in a loop for the meal to be over waits for them, not they for it. If
//@      the last one takes the forks in the other order, somebody can always eat. To get there, the
//@      first has to be preempted between its forks; then the third blocks with one fork in its
//@      hand, and so does the second.
//@ run: --preemptions 0 --monitor none
//@ verdict: clean
//@ run: --preemptions 1 --monitor none
//@ verdict: violations
//@ deadlock: left right over
//@ run: -DORDERED --preemptions 2 --monitor none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                            PTHREAD_MUTEX_INITIALIZER};
atomic_int meals;

static void *philosopher(void *argument) {
    int left = (int)(intptr_t)argument, right = (left + 1) % 3;
#ifdef ORDERED
    if (right < left) {
        left = 0;
        right = 2;
    }
#endif
    pthread_mutex_lock(&forks[left]);  // @left
    pthread_mutex_lock(&forks[right]); // @right
    meals++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)(intptr_t)i);
    while (meals < 3) // @over
        ;
    return 0;
}
