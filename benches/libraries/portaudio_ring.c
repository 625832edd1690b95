/* A producer and a consumer on the ring of PortAudio, of two items. They try until there is room,
   or an item; with -DASK they look first, so that nothing is tried in vain. */
#include "pa_ringbuffer.h"
#include <assert.h>
#include <pthread.h>

#define ITEMS 4

#ifdef ASK
#define UNTIL_READABLE(ring) while (PaUtil_GetRingBufferReadAvailable(ring) == 0)
#define UNTIL_WRITABLE(ring) while (PaUtil_GetRingBufferWriteAvailable(ring) == 0)
#else
#define UNTIL_READABLE(ring) while (0)
#define UNTIL_WRITABLE(ring) while (0)
#endif

static PaUtilRingBuffer ring;
static int storage[2];

static void *producer(void *unused) {
    for (int i = 1; i <= ITEMS; i++) {
        UNTIL_WRITABLE(&ring);
        while (PaUtil_WriteRingBuffer(&ring, &i, 1) == 0)
            ;
    }
    return unused;
}

int main(void) {
    PaUtil_InitializeRingBuffer(&ring, sizeof(int), 2, storage);
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    for (int i = 1; i <= ITEMS; i++) {
        int got;
        UNTIL_READABLE(&ring);
        while (PaUtil_ReadRingBuffer(&ring, &got, 1) == 0)
            ;
        assert(got == i);
    }
    pthread_join(thread, 0);
}
