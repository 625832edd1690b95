//@ why: siglongjmp gives back the signals that were blocked if sigsetjmp was asked to keep them, so
//@      that the handler's signal can come again. A jump out of an atomic block has no meaning.
//@ run: -DSAVE=1
//@ verdict: clean
//@ run: -DSAVE=0
//@ verdict: unsupported
//@ unsupported: raise raise with a signal that the program blocks
//@ run: -DSAVE=1 -DOUT_OF_BLOCK
//@ verdict: unsupported
//@ unsupported: jump longjmp out of an atomic block or a transaction
#include <assert.h>
#include <setjmp.h>
#include <signal.h>

void __VERIFIER_atomic_begin(void);

static sigjmp_buf before;
static volatile int handled;

static void handler(int signal) {
    (void)signal;
    handled++;
    siglongjmp(before, 1); // @jump
}

int main(void) {
    signal(SIGUSR1, handler);
    sigsetjmp(before, SAVE);
#ifdef OUT_OF_BLOCK
    __VERIFIER_atomic_begin();
#endif
    if (handled < 2)
        raise(SIGUSR1); // @raise
    assert(handled == 2);
    return 0;
}
