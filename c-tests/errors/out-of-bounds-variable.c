//@ why: An array of the program has ten elements. Behind the last one comes another
//@      variable, which the program does not mean: an access to element ten is out of bounds
//@      although that memory is the program's own. Which element is accessed depends on who
//@      comes first.
//@ run: -DLIMIT=10 --monitor none --preemptions none
//@ verdict: clean
//@ run: -DLIMIT=11 --monitor none --preemptions none
//@ verdict: violations
//@ out-of-bounds: access
#include <pthread.h>
#include <stdatomic.h>

int before[10];
int array[10];
int behind[10];
_Atomic(int) next = 8;

static void *body(void *unused) {
    int mine = next++;
    if (mine < LIMIT)
        array[mine] = 1; // @access
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return before[9] + behind[0];
}
