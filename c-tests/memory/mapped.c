//@ why: Mapped memory is zero, belongs to whole pages and is watched like any other: the thread and
//@      main load where it is, and one writes and the other reads 0 or 1 there, in C(2 + 2, 2)
//@      interleavings; a use after munmap is found.
//@ run: -DWHAT=SHARED --preemptions none
//@ verdict: clean
//@ executions: 6
//@ run: -DWHAT=GONE
//@ verdict: violations
//@ use-after-free: late part mapping
//@ run: -DWHAT=PART
//@ verdict: unsupported
//@ unsupported: part munmap of what is not the whole of a mapping
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

enum { SHARED, GONE, PART };
enum { PAGE = 4096 };

static volatile int *mapped;

static void *writes(void *unused) {
    mapped[PAGE / sizeof(int)] = 1;
    return unused;
}

int main(void) {
    char *grows = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(grows != MAP_FAILED && grows[PAGE - 1] == 0);
    grows[PAGE - 1] = 5;
    assert(mremap(grows, 100, 2 * PAGE, 0) == MAP_FAILED && errno == ENOMEM);
    grows = mremap(grows, 100, 2 * PAGE, MREMAP_MAYMOVE);
    assert(grows != MAP_FAILED && grows[PAGE - 1] == 5 && grows[2 * PAGE - 1] == 0);
    assert(munmap(grows, 0) == -1 && errno == EINVAL);
    mapped =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, // @mapping
             0);
    if (WHAT == SHARED) {
        pthread_t thread;
        pthread_create(&thread, NULL, writes, NULL);
        int found = mapped[PAGE / sizeof(int)];
        assert(found == 0 || found == 1);
        pthread_join(thread, NULL);
    }
    assert(munmap(grows, 2 * PAGE) == 0 && munmap(grows, 2 * PAGE) == 0);
    munmap((void *)mapped, WHAT == PART ? PAGE : 2 * PAGE); // @part
    if (WHAT == GONE)
        mapped[1] = 1; // @late
    return 0;
}
