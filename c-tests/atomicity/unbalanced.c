//@ why: What begins must end in the same thread, and what ends must have begun.
//@ run: -DOPEN
//@ verdict: violations
//@ misuse: begins
//@ run: -DEXIT
//@ verdict: violations
//@ misuse: begins
//@ run: -DCLOSED
//@ verdict: violations
//@ misuse: ends
//@ run: -DFUNCTION
//@ verdict: violations
//@ misuse: function
//@ run: -DOPEN --explorer dpor
//@ verdict: violations
//@ misuse: begins
//@ run: -DOPEN --model tso
//@ verdict: violations
//@ misuse: begins
//@ run: -DEXIT --model tso
//@ verdict: violations
//@ misuse: begins
//@ run: -DLEAVE
//@ verdict: violations
//@ misuse: begins
//@ run: -DLEAVE --model tso
//@ verdict: violations
//@ misuse: begins
//@ run: -DCLOSED --model tso
//@ verdict: violations
//@ misuse: ends
//@ run: -DBALANCED --model tso
//@ verdict: clean
//@ run: -DBALANCED
//@ verdict: clean

#include <fencehound.h>
#include <pthread.h>
#include <stdlib.h>

static int x;

FH_ATOMIC static void leaves(int how) { // @function
    x++;
    if (how)
        pthread_exit(0);
}

static void *works(void *unused) {
#if !defined CLOSED && !defined FUNCTION
    fh_atomic_begin(); // @begins
#endif
    x++;
#ifdef EXIT
    pthread_exit(0);
#endif
#ifdef LEAVE
    exit(0);
#endif
#ifdef FUNCTION
    leaves(1);
#elif defined BALANCED
    leaves(0);
#endif
#if defined CLOSED || defined BALANCED
    fh_atomic_end(); // @ends
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, works, 0);
    pthread_join(thread, 0);
    (void)leaves;
    return 0;
}
