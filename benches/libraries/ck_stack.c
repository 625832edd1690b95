/* Two threads push, while a third one pops, and pops the rest in the end. */
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>

struct item {
    ck_stack_entry_t next;
    int value;
};
static ck_stack_t stack;
static struct item items[2];

static void *pusher(void *argument) {
    struct item *item = argument;
    item->value = 1;
    ck_stack_push_upmc(&stack, &item->next);
    return 0;
}

int main(void) {
    ck_stack_init(&stack);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, pusher, &items[i]);
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        ck_stack_entry_t *entry = ck_stack_pop_upmc(&stack);
        if (entry)
            sum += ((struct item *)entry)->value;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    for (ck_stack_entry_t *entry = ck_stack_batch_pop_upmc(&stack); entry; entry = entry->next)
        sum += ((struct item *)entry)->value;
    assert(sum == 2);
}
