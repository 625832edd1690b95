//@ why: A program's own signals: a handler runs at once on the thread that raises, with its signal
//@      blocked meanwhile; a mask belongs to a thread, and a new one has its creator's; an ignored
//@      signal does nothing. The thread reads what it is told of its signal, writes two
//@      variables and reads one; main reads one twice: C(4 + 2, 2) = 15 interleavings.
//@ run: -DWHAT=HANDLED --preemptions none
//@ verdict: clean
//@ executions: 15
//@ run: -DWHAT=ONCE
//@ verdict: violations
//@ crash: again
//@ run: -DWHAT=BLOCKED
//@ verdict: unsupported
//@ unsupported: again raise with a signal that the program blocks
//@ run: -DWHAT=FAULTS
//@ verdict: unsupported
//@ unsupported: faults sigaction of signal 11 (Segmentation fault)
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

enum { HANDLED, ONCE, BLOCKED, FAULTS };

static volatile int raised;
static int blocked_meanwhile;

static int blocks(int signal) {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    return sigismember(&blocked, signal);
}

static void handler(int signal) {
    blocked_meanwhile = blocks(signal) && !blocks(SIGUSR1);
    raised = signal;
}

static void informed(int signal, siginfo_t *information, void *context) {
    (void)context;
    handler(information->si_signo == signal ? signal : 0);
}

static void *raises(void *unused) {
    (void)unused;
    assert(blocks(SIGTERM));
    struct sigaction action = {.sa_sigaction = informed, .sa_flags = SA_SIGINFO}, before;
    sigemptyset(&action.sa_mask);
    assert(sigaction(SIGUSR2, &action, &before) == 0 && before.sa_handler == SIG_DFL);
    raise(SIGUSR2);
    assert(blocked_meanwhile && !blocks(SIGUSR2));
    return NULL;
}

int main(void) {
    assert(signal(SIGKILL, SIG_IGN) == SIG_ERR && errno == EINVAL);
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    raise(SIGPIPE);
    if (WHAT == HANDLED) {
        sigset_t some;
        sigfillset(&some);
        sigdelset(&some, SIGUSR1);
        sigdelset(&some, SIGUSR2);
        pthread_sigmask(SIG_SETMASK, &some, NULL);
        pthread_t thread;
        pthread_create(&thread, NULL, raises, NULL);
        int found[2] = {raised, raised};
        assert(found[0] == 0 || found[1] == SIGUSR2);
        pthread_join(thread, NULL);
        assert(raised == SIGUSR2);
        return 0;
    }
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESETHAND};
    sigaction(WHAT == FAULTS ? SIGSEGV : SIGUSR2, &action, NULL); // @faults
    raise(SIGUSR2);
    assert(raised == SIGUSR2 && !blocks(SIGUSR2));
    if (WHAT == BLOCKED) {
        sigaction(SIGUSR2, &action, NULL);
        sigemptyset(&action.sa_mask);
        sigaddset(&action.sa_mask, SIGUSR2);
        sigprocmask(SIG_BLOCK, &action.sa_mask, NULL);
    }
    raise(SIGUSR2); // @again
    return 0;
}
