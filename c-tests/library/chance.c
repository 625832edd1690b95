//@ why: The machine's chance is one sequence in each execution, however it is asked for: by name or
//@      by the system call. Two threads that take a byte each come in two orders, and what the one
//@      gets in the first is what the other one gets in the second.
//@ run: --explorer dpor --preemptions none --monitor none
//@ verdict: clean
//@ executions: 2
//@ run: --explorer rsmc
//@ verdict: clean
//@ executions: 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned char drawn[2];

static void *by_name(void *unused) {
    assert(getrandom(&drawn[0], 1, 0) == 1);
    return unused;
}

static void *by_number(void *unused) {
    assert(syscall(SYS_getrandom, &drawn[1], 1, 0) == 1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, by_name, NULL);
    pthread_create(&second, NULL, by_number, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(drawn[0] != drawn[1]);
    unsigned char more[2][8];
    assert(getentropy(more[0], 8) == 0 && syscall(SYS_getrandom, more[1], 8, GRND_NONBLOCK) == 8);
    assert(memcmp(more[0], more[1], 8) != 0);
    return 0;
}
