/* A producer and a consumer on the ring of JACK, of one byte. */
#include "jack/ringbuffer.h"
#include <assert.h>
#include <pthread.h>

static jack_ringbuffer_t *ring;

static void *producer(void *unused) {
    for (char i = 1; i <= 3; i++)
        while (jack_ringbuffer_write(ring, &i, 1) == 0)
            ;
    return unused;
}

int main(void) {
    ring = jack_ringbuffer_create(2);
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    for (char i = 1; i <= 3; i++) {
        char got;
        while (jack_ringbuffer_read(ring, &got, 1) == 0)
            ;
        assert(got == i);
    }
    pthread_join(thread, 0);
    jack_ringbuffer_free(ring);
}
