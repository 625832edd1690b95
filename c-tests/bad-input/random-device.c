//@ why: As cycle-counter.c, with bytes from /dev/urandom: what they are decides how many
//@      events there are.
//@ run: --preemptions none
//@ verdict: unsupported
//@ nondeterministic: event
//@ uninstrumented: fclose fopen fread
#include <pthread.h>
#include <stdio.h>

volatile int event;

static void *body(void *unused) {
    unsigned char byte = 0;
    FILE *device = fopen("/dev/urandom", "rb");
    if (device) {
        if (fread(&byte, 1, 1, device) != 1)
            byte = 0;
        fclose(device);
    }
    for (int i = byte % 8; i >= 0; i--)
        event = 1; // @event
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
