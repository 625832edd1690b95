// Two threads hand what they own to a free list of PulseAudio and take something back: nothing is
// lost or doubled.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <pulse/xmalloc.h>
#include <pulsecore/flist.h>
#include <pulsecore/log.h>

// What the list uses of the rest of PulseAudio.
void *pa_xmalloc0(size_t size) { return calloc(1, size); }
void pa_xfree(void *block) { free(block); }
char *pa_xstrdup(const char *text) { return strdup(text); }
bool pa_log_ratelimit(pa_log_level_t level) { return false; }
void pa_log_level_meta(pa_log_level_t level, const char *file, int line, const char *function,
                       const char *format, ...) {}

static pa_flist *list;
static int taken[2];

static void *work(void *own) {
    if (pa_flist_push(list, own) == 0) {
        int *got = pa_flist_pop(list);
        if (got)
            (*got)++;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    list = pa_flist_new(2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &taken[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int left = 0;
    while (pa_flist_pop(list))
        left++;
    assert(taken[0] < 2 && taken[1] < 2 && taken[0] + taken[1] + left == 2);
    pa_flist_free(list, NULL);
    return 0;
}
