// A runtime for the tests of the pass: each hook does at once what it stands for, and is counted. At the end the
// counts, and the visits of loops in order, are written to the file that FH_LOG names.
#include "../../runtime/include/fencehound_hooks.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct fh_site __start_fh_sites[] __attribute__((weak)), __stop_fh_sites[] __attribute__((weak));
extern char __start_fh_tdata[] __attribute__((weak)), __stop_fh_tdata[] __attribute__((weak));
extern char __start_fh_tbss[] __attribute__((weak)), __stop_fh_tbss[] __attribute__((weak));
extern char __start_fh_data[] __attribute__((weak)), __start_fh_bss[] __attribute__((weak));

const struct fh_site *__fh_call_site;
uint8_t __fh_controlled = 1;

enum { LINES = 1000, LONGEST = 200 };
struct { const char *name; int count; } counts[100];
char visits[LINES][LONGEST];
pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void check(const struct fh_site *site) {
    assert(site >= __start_fh_sites && site < __stop_fh_sites);
    assert(((const char *)site - (const char *)__start_fh_sites) % sizeof *site == 0);
    assert(site->line > 0 && site->frames != 1 && !site->frames == !site->stack);
    for (unsigned frame = 0; frame < site->frames; frame++)
        assert(*site->stack[frame].function && site->stack[frame].unused == 0);
    assert((strstr(site->file, ".c") || strstr(site->file, ".h")) && site->function[0]);
}

static void count(const char *name, const struct fh_site *site) {
    check(site);
    pthread_mutex_lock(&counting);
    int i = 0;
    while (counts[i].name && strcmp(counts[i].name, name))
        i++;
    counts[i].name = name;
    counts[i].count++;
    pthread_mutex_unlock(&counting);
}

#define ACCESS(bytes, type)                                                                        \
    type __fh_load##bytes(const void *address, const struct fh_site *site) {                       \
        type value;                                                                                \
        count("load" #bytes, site);                                                                \
        memcpy(&value, address, bytes);                                                            \
        return value;                                                                              \
    }                                                                                              \
    void __fh_store##bytes(void *address, type value, const struct fh_site *site) {                \
        count("store" #bytes, site);                                                               \
        memcpy(address, &value, bytes);                                                            \
    }                                                                                              \
    type __fh_atomic_load##bytes(const void *address, uint32_t order, const struct fh_site *site) { \
        count("atomic_load" #bytes, site);                                                         \
        assert(order <= 5);                                                                        \
        return __atomic_load_n((const type *)address, __ATOMIC_SEQ_CST);                           \
    }                                                                                              \
    void __fh_atomic_store##bytes(void *address, type value, uint32_t order,                       \
                                  const struct fh_site *site) {                                    \
        count("atomic_store" #bytes, site);                                                        \
        assert(order <= 5);                                                                        \
        __atomic_store_n((type *)address, value, __ATOMIC_SEQ_CST);                                \
    }                                                                                              \
    type __fh_rmw##bytes(void *address, type operand, uint32_t operation, uint32_t order,          \
                         const struct fh_site *site) {                                             \
        count("rmw" #bytes, site);                                                                 \
        assert(order <= 5);                                                                        \
        type old = __atomic_load_n((type *)address, __ATOMIC_SEQ_CST), new;                        \
        do                                                                                         \
            new = apply(old, operand, operation, 8 * bytes);                                       \
        while (!__atomic_compare_exchange_n((type *)address, &old, new, 0, __ATOMIC_SEQ_CST,       \
                                            __ATOMIC_SEQ_CST));                                    \
        return old;                                                                                \
    }                                                                                              \
    type __fh_weak_cas##bytes(void *address, type expected, type desired, uint32_t orders,         \
                              uint8_t *succeeded, const struct fh_site *site) {                    \
        type old = __fh_cas##bytes(address, expected, desired, orders, site);                      \
        *succeeded = old == expected;                                                              \
        return old;                                                                                \
    }                                                                                              \
    type __fh_cas##bytes(void *address, type expected, type desired, uint32_t orders,              \
                         const struct fh_site *site) {                                             \
        count("cas" #bytes, site);                                                                 \
        assert((orders & 0xff) <= 5 && (orders >> 8 & 0xff) <= 5 && orders >> 16 <= 1);            \
        __atomic_compare_exchange_n((type *)address, &expected, desired, 0, __ATOMIC_SEQ_CST,      \
                                    __ATOMIC_SEQ_CST);                                             \
        return expected;                                                                           \
    }

static int64_t extend(uint64_t value, int bits) { return (int64_t)(value << (64 - bits)) >> (64 - bits); }

static uint64_t apply_floats(uint64_t old, uint64_t operand, uint32_t operation, int bits) {
    double a, b;
    float c, d;
    memcpy(&a, &old, 8), memcpy(&b, &operand, 8), memcpy(&c, &old, 4), memcpy(&d, &operand, 4);
    assert((operation == FH_RMW_FADD || operation == FH_RMW_FSUB) && bits >= 32);
    a = operation == FH_RMW_FADD ? a + b : a - b;
    c = operation == FH_RMW_FADD ? c + d : c - d;
    old = 0;
    return memcpy(&old, bits == 64 ? (void *)&a : (void *)&c, (size_t)bits / 8), old;
}

static uint64_t apply(uint64_t old, uint64_t operand, uint32_t operation, int bits) {
    int64_t a = extend(old, bits), b = extend(operand, bits);
    switch (operation) {
    case FH_RMW_EXCHANGE: return operand;
    case FH_RMW_ADD: return old + operand;
    case FH_RMW_SUB: return old - operand;
    case FH_RMW_AND: return old & operand;
    case FH_RMW_NAND: return ~(old & operand);
    case FH_RMW_OR: return old | operand;
    case FH_RMW_XOR: return old ^ operand;
    case FH_RMW_MAX: return a > b ? old : operand;
    case FH_RMW_MIN: return a < b ? old : operand;
    case FH_RMW_UMAX: return old > operand ? old : operand;
    case FH_RMW_UMIN: return old < operand ? old : operand;
    case FH_RMW_NEGATE: return -old;
    }
    return apply_floats(old, operand, operation, bits);
}

ACCESS(1, uint8_t)
ACCESS(2, uint16_t)
ACCESS(4, uint32_t)
ACCESS(8, uint64_t)

void __fh_read(const void *address, void *into, uint64_t length, const struct fh_site *site) {
    count("read", site);
    memcpy(into, address, length);
}
void __fh_write(void *address, const void *from, uint64_t length, const struct fh_site *site) {
    count("write", site);
    memcpy(address, from, length);
}
void __fh_copy(void *to, const void *from, uint64_t length, const struct fh_site *site) {
    count("copy", site);
    memmove(to, from, length);
}
void __fh_fill(void *to, uint32_t byte, uint64_t length, const struct fh_site *site) {
    count("fill", site);
    memset(to, (int)byte, length);
}
void __fh_atomic_read(const void *address, void *into, uint64_t length, uint32_t order, const struct fh_site *site) {
    count("atomic_read", site);
    assert(order <= 5);
    memcpy(into, address, length);
}
void __fh_atomic_write(void *address, const void *from, uint64_t length, uint32_t order, const struct fh_site *site) {
    count("atomic_write", site);
    assert(order <= 5);
    memcpy(address, from, length);
}
void __fh_atomic_rmw(void *address, const void *operand, void *old, uint64_t length, uint32_t operation,
                     uint32_t order, const struct fh_site *site) {
    unsigned __int128 before = 0, by = 0;
    count("atomic_rmw", site);
    assert(order <= 5 && (length == 16 || operation == FH_RMW_EXCHANGE));
    char kept[100];
    memcpy(kept, address, length);
    if (operation == FH_RMW_EXCHANGE) {
        memcpy(address, operand, length);
    } else {
        memcpy(&before, address, 16), memcpy(&by, operand, 16);
        unsigned __int128 after = operation == FH_RMW_ADD    ? before + by
                                  : operation == FH_RMW_SUB  ? before - by
                                  : operation == FH_RMW_AND  ? before & by
                                  : operation == FH_RMW_OR   ? before | by
                                  : operation == FH_RMW_NAND ? ~(before & by)
                                                             : before ^ by;
        memcpy(address, &after, 16);
    }
    memcpy(old, kept, length);
}
uint8_t __fh_atomic_cas(void *address, void *expected, const void *desired, uint64_t length, uint32_t orders,
                        const struct fh_site *site) {
    count("atomic_cas", site);
    assert((orders & 0xff) <= 5 && (orders >> 8 & 0xff) <= 5 && orders >> 16 <= 1);
    int same = !memcmp(address, expected, length);
    memcpy(same ? address : expected, same ? desired : address, length);
    return (uint8_t)same;
}
void __fh_fence(uint32_t order, const struct fh_site *site) {
    count("fence", site);
    assert(order <= 8);
}
void __fh_endless(const struct fh_site *site) { (void)site; }

void __fh_loop(struct fh_loop *loop, uint32_t visit, const uint64_t *state, uint64_t words,
               const struct fh_site *site) {
    check(site);
    assert((uintptr_t)loop % 8 == 0);
    uint64_t hash = words + 1;
    for (uint64_t i = 0; i < words; i++)
        hash = (hash ^ state[i]) * 0x9e3779b97f4a7c15u;
    int same = visit == FH_LOOP_COMPARABLE && loop->number == hash;
    pthread_mutex_lock(&counting);
    char *text = visits[site->line];
    if (strlen(text) < LONGEST - 3)
        strcat(text, visit == FH_LOOP_ENTERED ? " E" : same ? " S" : " C");
    pthread_mutex_unlock(&counting);
    memset(loop, 0x55, sizeof *loop);
    loop->number = hash;
}
void __fh_unsupported(const char *what, const struct fh_site *site) {
    check(site);
    printf("unsupported: %s in line %u\n", what, site->line);
    fflush(stdout);
    exit(4);
}
void __fh_external(const char *name, uint32_t known, const struct fh_site *site) {
    count(name, site);
    assert(known <= 1);
}
void __fh_external_pointer(const void *pointer, const struct fh_site *site) {
    count("external_pointer", site);
    assert((uintptr_t)pointer < 1ull << 47);
}
void __fh_external_returns(const struct fh_site *site) { check(site); }

void *__fh_tls(void *image, void *own) {
    (void)own;
    static __thread char *data, *zeros;
    char *place = image;
    if (place >= __start_fh_tdata && place < __stop_fh_tdata) {
        size_t size = (size_t)(__stop_fh_tdata - __start_fh_tdata);
        if (!data)
            data = memcpy(aligned_alloc(64, (size + 63) / 64 * 64), __start_fh_tdata, size);
        return data + (place - __start_fh_tdata);
    }
    assert(place >= __start_fh_tbss && place < __stop_fh_tbss);
    size_t size = (size_t)(__stop_fh_tbss - __start_fh_tbss);
    if (!zeros)
        zeros = memset(aligned_alloc(64, (size + 63) / 64 * 64), 0, size);
    return zeros + (place - __start_fh_tbss);
}

void *__fh_malloc(size_t size) { return count("malloc", __fh_call_site), malloc(size); }
void *__fh_calloc(size_t n, size_t size) { return count("calloc", __fh_call_site), calloc(n, size); }
void *__fh_realloc(void *p, size_t size) { return count("realloc", __fh_call_site), realloc(p, size); }
void __fh_free(void *p) { count("free", __fh_call_site), free(p); }
char *__fh_strdup(const char *s) { return count("strdup", __fh_call_site), strdup(s); }
int __fh_posix_memalign(void **p, size_t a, size_t n) { return posix_memalign(p, a, n); }
int __fh_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *p) {
    return count("pthread_create", __fh_call_site), pthread_create(t, a, f, p);
}
int __fh_pthread_join(pthread_t t, void **r) { return count("pthread_join", __fh_call_site), pthread_join(t, r); }
pthread_t __fh_pthread_self(void) { return count("pthread_self", __fh_call_site), pthread_self(); }
int __fh_pthread_equal(pthread_t a, pthread_t b) { return pthread_equal(a, b); }
int __fh_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) { return pthread_mutex_init(m, a); }
int __fh_pthread_mutex_lock(pthread_mutex_t *m) { return count("lock", __fh_call_site), pthread_mutex_lock(m); }
int __fh_pthread_mutex_unlock(pthread_mutex_t *m) { return count("unlock", __fh_call_site), pthread_mutex_unlock(m); }
int __fh_sched_yield(void) { return sched_yield(); }
void __fh_exit(int status) { exit(status); }
int __fh_rand(void) { return count("rand", __fh_call_site), 4; }
void __fh_abort(void) { abort(); }
int __fh_vsnprintf(char *to, size_t n, const char *format, va_list list) { return vsnprintf(to, n, format, list); }
int __fh_printf(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vprintf(format, list);
    va_end(list);
    return length;
}
int __fh_snprintf(char *to, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = vsnprintf(to, size, format, list);
    va_end(list);
    return length;
}
int __fh_puts(const char *s) { return puts(s); }
size_t __fh_strlen(const char *s) { return strlen(s); }
char *__fh_strcpy(char *to, const char *from) { return strcpy(to, from); }
long __fh_strtol(const char *s, char **end, int base) { return strtol(s, end, base); }
void __fh_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    qsort(base, n, size, compare);
}

/* Each function leaves as many local variables as it found. */
static uint64_t locals;
uint64_t __fh_frame(void) { return locals; }
void __fh_local(void *address, uint64_t size, const struct fh_site *site) {
    assert(address && size > 0);
    check(site);
    locals++;
}
void __fh_by_value(void *address, uint64_t size, const struct fh_site *site) { __fh_local(address, size, site); }
void __fh_leave(uint64_t frame) {
    assert(frame < locals);
    locals = frame;
}
void __fh___assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    printf("assertion %s in line %u of %s\n", text, line, function);
    (void)file;
    exit(6);
}

static void write_log(void) {
    FILE *log = fopen(getenv("FH_LOG"), "w");
    assert(log);
    for (int i = 0; counts[i].name; i++)
        fprintf(log, "%s %d\n", counts[i].name, counts[i].count);
    for (int line = 0; line < LINES; line++)
        if (visits[line][0])
            fprintf(log, "visits %d%s\n", line, visits[line]);
    fclose(log);
}

int __fh_main(int argc, char **argv, char **environment);

int main(int argc, char **argv, char **environment) {
    atexit(write_log);
    return __fh_main(argc, argv, environment);
}

int __fh_memcmp(const void *one, const void *other, size_t length) {
    return memcmp(one, other, length);
}
