/* What runs a generated program on the machine itself, again and again, with the threads'
 * beginnings shifted against each other at random, and prints each distinct outcome with how many
 * times it was seen. */
#include <stdint.h>
#include <stdio.h>
#include <x86intrin.h>

/* The variables of one program, so that they can be copied back. */
#define SHARED(program) __attribute__((section("shared_" #program), used)) static
#define MOST_THREADS 16
#define MOST_VALUES 64

struct log {
    char path[64];
    int children, count;
    long values[MOST_VALUES];
    void *(*function)(void *);
    void *argument;
};
static struct log logs[MOST_THREADS];
static atomic_int used, arrived;
static int awaited;
/* When all that main creates begin. */
static _Atomic uint64_t together;
static _Thread_local struct log *own;
static uint64_t state;
static long rounds;

static uint32_t draw(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static void fh_observe(long value) {
    if (own->count < MOST_VALUES)
        own->values[own->count++] = value;
}

/* Programs with these are not run. */
#define fh_choose(count) 0
#define fh_assume(condition) ((void)(condition))
#define fh_assert(condition) ((void)(condition))

static void *trampoline(void *given) {
    own = given;
    uint64_t begun = __rdtsc(), begin = 0;
    if (atomic_fetch_add(&arrived, 1) + 1 == awaited)
        atomic_store(&together, __rdtsc() + 1000);
    /* Whoever waits in vain goes alone. */
    while ((begin = atomic_load(&together)) == 0 && __rdtsc() - begun < 500000)
        ;
    while (begin != 0 && __rdtsc() < begin + (uint64_t)(own->values[MOST_VALUES - 1] & 255))
        ;
    return own->function(own->argument);
}

static int native_create(pthread_t *thread, const pthread_attr_t *attributes,
                         void *(*function)(void *), void *argument) {
    struct log *log = &logs[atomic_fetch_add(&used, 1)];
    snprintf(log->path, sizeof log->path, "%.50s.%d", own->path, own->children++);
    log->children = log->count = 0;
    log->function = function, log->argument = argument;
    log->values[MOST_VALUES - 1] = draw();
    return pthread_create(thread, attributes, trampoline, log);
}
#define pthread_create native_create

static struct {
    char text[1024];
    long count;
} seen[1024];
static int distinct;

static int by_path(const void *left, const void *right) {
    return strcmp(((const struct log *)left)->path, ((const struct log *)right)->path);
}

static void take(void) {
    char text[1024] = "";
    size_t length = 0;
    int threads = atomic_load(&used);
    qsort(logs, (size_t)threads, sizeof *logs, by_path);
    for (int i = 0; i < threads; i++) {
        if (logs[i].count == 0)
            continue;
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s:", length ? "; " : "",
                                   logs[i].path);
        for (int j = 0; j < logs[i].count; j++)
            length +=
                (size_t)snprintf(text + length, sizeof text - length, " %ld", logs[i].values[j]);
    }
    int index = 0;
    while (index < distinct && strcmp(seen[index].text, text) != 0)
        index++;
    if (index == distinct && distinct < 1024)
        strcpy(seen[distinct++].text, text);
    if (index < 1024)
        seen[index].count++;
}

static int run(int (*program)(void), int threads, char *begin, char *end) {
    size_t size = (size_t)(end - begin);
    char *copy = malloc(size);
    memcpy(copy, begin, size);
    state = 88172645463325252u;
    for (long round = 0; round < rounds; round++) {
        memcpy(begin, copy, size);
        own = &logs[0];
        strcpy(own->path, "main");
        own->children = own->count = 0;
        atomic_store(&used, 1);
        atomic_store(&arrived, 0);
        atomic_store(&together, 0);
        awaited = threads;
        program();
        take();
    }
    for (int i = 0; i < distinct; i++)
        printf("%ld %s\n", seen[i].count, seen[i].text);
    return 0;
}

#define RUN(number, threads)                                                                       \
    extern char __start_shared_##number, __stop_shared_##number;                                   \
    static int run_##number(void) {                                                                \
        return run(main_##number, threads, &__start_shared_##number, &__stop_shared_##number);     \
    }

static int parse(int count, char **arguments) {
    if (count < 3)
        exit(2);
    rounds = atol(arguments[2]);
    return atoi(arguments[1]);
}
