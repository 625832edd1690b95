//@ why: A signal that ends the program is a crash where it is sent, in either order of the threads;
//@      one that does nothing by default does nothing. Signals to others, and those that stop the
//@      program, cannot be run again and again.
//@ run: -DSEND=raise(SIGKILL)
//@ verdict: violations
//@ crash: send
//@ run: -DSEND=kill(getpid(),SIGTERM)
//@ verdict: violations
//@ crash: send
//@ uninstrumented: getpid
//@ run: -DSEND=raise(SIGWINCH)
//@ verdict: clean
//@ run: -DSEND=kill(0,0)
//@ verdict: clean
//@ run: -DSEND=raise(SIGSTOP)
//@ verdict: unsupported
//@ unsupported: send raise with a signal that stops the program
//@ run: -DSEND=block();raise(SIGUSR1)
//@ verdict: unsupported
//@ unsupported: send raise with a signal that the program blocks
//@ run: -DSEND=kill(1,SIGTERM)
//@ verdict: unsupported
//@ unsupported: send kill of another process
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

int shared;

static inline void block(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
}

static void *body(void *unused) {
    shared = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    SEND; // @send
    pthread_join(thread, NULL);
    return 0;
}
