//@ why: A block is lost when nothing points to it any more: neither a variable, nor another
//@      block that is not lost itself. Which of two threads stores its block last decides whose
//@      block is lost, so both are, on some schedule. Only --leaks looks for them. A pointer
//@      into the middle of a block keeps it; a block that only a lost one points to is not told
//@      of separately; one that points to itself is lost all the same.
//@ run: --monitor none --preemptions none
//@ verdict: clean
//@ run: --leaks --monitor none --preemptions none
//@ verdict: violations
//@ leak: left, right, head, circle
//@ run: --leaks -DFREED --monitor none --preemptions none
//@ verdict: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int rest[4];
};

_Atomic(void *) last;
int *middle;

static void *left(void *unused) {
    void *old = atomic_exchange(&last, malloc(8)); // @left
#ifdef FREED
    free(old);
#else
    (void)old;
#endif
    return unused;
}

static void *right(void *unused) {
    void *old = atomic_exchange(&last, malloc(8)); // @right
#ifdef FREED
    free(old);
#else
    (void)old;
#endif
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, left, NULL);
    pthread_create(&threads[1], NULL, right, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);

    struct node *kept = malloc(sizeof *kept);
    kept->next = malloc(sizeof *kept);
    kept->next->next = NULL;
    middle = &kept->rest[2];

    struct node *head = malloc(sizeof *head); // @head
    head->next = malloc(sizeof *head);
    head->next->next = NULL;
    struct node *circle = malloc(sizeof *circle); // @circle
    circle->next = circle;
#ifdef FREED
    free(head->next);
    free(head);
    free(circle);
#endif
    return 0;
}
