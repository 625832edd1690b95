//@ why: Time is the program's own, in each execution the same: it never goes back, a sleep takes as
//@      long as it says, who waits for a moment reaches it, and the clocks agree with each other.
//@ run: --preemptions none
//@ verdict: clean
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct timespec shared;
volatile int events;

static long milliseconds(void) {
    clock_gettime(CLOCK_MONOTONIC, &shared);
    return shared.tv_sec * 1000 + shared.tv_nsec / 1000000;
}

static void *body(void *unused) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (long i = now.tv_nsec / 8 % 5; i >= 0; i--)
        events = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);

    long begin = milliseconds();
    sleep(2);
    assert(milliseconds() - begin >= 2000);
    begin = milliseconds();
    usleep(1500);
    struct timespec pause = {1, 500000000};
    nanosleep(&pause, NULL);
    assert(milliseconds() - begin >= 1501);
    for (begin = milliseconds(); milliseconds() - begin < 100;)
        ;

    struct timeval day;
    time_t seconds, before = time(&seconds);
    assert(before == seconds && gettimeofday(&day, NULL) == 0 && day.tv_sec - seconds <= 1);
    struct timespec real;
    assert(timespec_get(&real, TIME_UTC) == TIME_UTC && real.tv_sec - day.tv_sec <= 1);
    assert(real.tv_sec >= day.tv_sec && day.tv_sec >= seconds && seconds > 0);
    assert(clock_gettime(12345, &real) == -1 && clock() >= 0);
    return 0;
}
