//@ why: What realloc, strdup and strndup put into a new block are stores like the program's
//@      own: the store of its address can overtake them under PSO, unless a fence stands
//@      between. The text takes one store of 8 bytes.
//@ run: -DCOPY=realloc(text,64) --preemptions none
//@ verdict: violations
//@ pso: copy -> look
//@ run: -DCOPY=realloc(text,64) -DFENCED --preemptions none
//@ verdict: clean
//@ run: -DCOPY=strdup(text) --preemptions none
//@ verdict: violations
//@ pso: copy -> look
//@ run: -DCOPY=strdup(text) -DFENCED --preemptions none
//@ verdict: clean
//@ run: -DCOPY=strndup(text,7) --preemptions none
//@ verdict: violations
//@ pso: copy -> look
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char *volatile published;

static void *publish(void *text) {
    char *copy = COPY; // @copy
#ifdef FENCED
    atomic_thread_fence(memory_order_release);
#endif
    published = copy;
    return NULL;
}

int main(void) {
    char *text = malloc(8);
    memcpy(text, "abcdefg", 8);
    pthread_t thread;
    pthread_create(&thread, NULL, publish, text);
    char *found = published;
    volatile char first = 0;
    if (found)
        first = found[0]; // @look
    (void)first;
    pthread_join(thread, NULL);
    return 0;
}
