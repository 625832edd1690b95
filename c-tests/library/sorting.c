//@ why: qsort and bsearch give what the C standard says, and keep the order of equal
//@      elements, as glibc's does. The comparison is the program's own: what it does with shared
//@      memory are events like any others. Two threads that sort and count in it without a lock
//@      lose a count.
//@ run: --preemptions 0
//@ verdict: clean
//@ run: --monitor none --preemptions 1
//@ verdict: violations
//@ assertion: lost
//@ run: -DATOMIC --monitor none --preemptions 1
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef ATOMIC
_Atomic(int) count;
#else
int count;
#endif

struct pair {
    int key, place;
};

struct pair shared[5] = {{3, 0}, {1, 1}, {3, 2}, {2, 3}, {1, 4}};

static int plainly(const void *left, const void *right) {
    return ((const struct pair *)left)->key - ((const struct pair *)right)->key;
}

static int downwards(const void *left, const void *right, void *sign) {
    return *(int *)sign * plainly(left, right);
}

static int counting(const void *left, const void *right) {
    count++;
    return *(const char *)left - *(const char *)right;
}

static void *body(void *unused) {
    char two[2] = "ba";
    qsort(two, 2, 1, counting); // one comparison
    assert(two[0] == 'a' && two[1] == 'b');
    return unused;
}

int main(void) {
    pthread_t threads[2];
    int minus = -1;
    qsort(shared, 5, sizeof *shared, plainly);
    const int keys[] = {1, 1, 2, 3, 3}, places[] = {1, 4, 3, 0, 2};
    for (int i = 0; i < 5; i++)
        assert(shared[i].key == keys[i] && shared[i].place == places[i]);
    struct pair wanted = {2, 0}, missing = {4, 0};
    assert(bsearch(&wanted, shared, 5, sizeof *shared, plainly) == &shared[2]);
    assert(bsearch(&missing, shared, 5, sizeof *shared, plainly) == NULL);
    qsort_r(shared, 5, sizeof *shared, downwards, &minus);
    assert(shared[0].key == 3 && shared[0].place == 0 && shared[4].key == 1 &&
           shared[4].place == 4);

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2); // @lost
    return 0;
}
