//@ why: Two threads use an object; who drops the last of two references destroys it. To C11 a
//@      drop has to release and the last one to acquire, each by itself or by a fence (Boost's
//@      documentation of atomics, "Reference counting"). A mutex that is unlocked by a store
//@      with release may still be held where another one sees the relaxed drop behind that: no
//@      machine but x86 and PSO keeps a release before a later access to another place, if
//@      nothing is between them.
//@ run: -DMUTEX -DFENCED -DDROP=relaxed -DLAST_FENCED --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DMUTEX -DFENCED -DDROP=relaxed -DLAST_FENCED --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DMUTEX -DFENCED -DDROP=relaxed -DLAST_FENCED --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DMUTEX -DFENCED -DDROP=relaxed -DLAST_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DMUTEX -DDROP=release -DLAST_FENCED --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DMUTEX -DDROP=release -DLAST_FENCED --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DMUTEX -DDROP=release -DLAST_FENCED --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DMUTEX -DDROP=release -DLAST_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DMUTEX -DDROP=acq_rel --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DMUTEX -DDROP=acq_rel --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DMUTEX -DDROP=acq_rel --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DMUTEX -DDROP=acq_rel --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DMUTEX -DFENCED -DDROP=acquire --model armv8
//@ verdict: clean
//@ models: armv8 harmless
//@ run: -DMUTEX -DFENCED -DDROP=acquire --model riscv
//@ verdict: clean
//@ models: riscv harmless
//@ run: -DMUTEX -DFENCED -DDROP=acquire --model power
//@ verdict: clean
//@ models: power harmless
//@ run: -DMUTEX -DFENCED -DDROP=acquire --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DMUTEX -DFENCED -DDROP=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use end, end use
//@ run: -DMUTEX -DDROP=relaxed -DLAST_FENCED --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use end, end use
//@ run: -DMUTEX -DDROP=relaxed -DLAST_FENCED --model tso
//@ verdict: clean
//@ models: tso harmless
//@ run: -DMUTEX -DDROP=relaxed -DLAST_FENCED --model pso
//@ verdict: clean
//@ models: pso harmless
//@ run: -DMUTEX -DDROP=relaxed -DLAST_FENCED --model armv8
//@ verdict: violations
//@ models: armv8 breaks
//@ misuse: end use
//@ run: -DMUTEX -DDROP=relaxed -DLAST_FENCED --model riscv
//@ verdict: violations
//@ models: riscv breaks
//@ misuse: end use
//@ run: -DMUTEX -DDROP=relaxed -DLAST_FENCED --model power
//@ verdict: violations
//@ models: power breaks
//@ misuse: end use
//@ run: -DSEMAPHORE -DFENCED -DDROP=relaxed -DLAST_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSEMAPHORE -DDROP=release -DLAST_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSEMAPHORE -DDROP=acq_rel --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSEMAPHORE -DFENCED -DDROP=acquire --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DSEMAPHORE -DFENCED -DDROP=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use end
//@ run: -DSEMAPHORE -DDROP=relaxed -DLAST_FENCED --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use end
//@ run: -DRWLOCK -DFENCED -DDROP=relaxed -DLAST_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DRWLOCK -DDROP=release -DLAST_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DRWLOCK -DDROP=acq_rel --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DRWLOCK -DFENCED -DDROP=acquire --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DRWLOCK -DFENCED -DDROP=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use end, use end, end use
//@ run: -DRWLOCK -DDROP=relaxed -DLAST_FENCED --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use end, use end, end use
//@ run: -DCONDITION -DFENCED -DDROP=relaxed -DLAST_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DCONDITION -DDROP=release -DLAST_FENCED --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DCONDITION -DDROP=acq_rel --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DCONDITION -DFENCED -DDROP=acquire --model c11
//@ verdict: clean
//@ models: c11 harmless
//@ run: -DCONDITION -DFENCED -DDROP=relaxed --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use end
//@ run: -DCONDITION -DDROP=relaxed -DLAST_FENCED --model c11
//@ verdict: violations
//@ models: c11 breaks
//@ misuse: use end
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#define ORDER_OF(name) memory_order_##name
#define ORDER(name) ORDER_OF(name)

#if defined SEMAPHORE
static sem_t object;
#define MAKE() sem_init(&object, 0, 2)
#define USE() sem_trywait(&object)
#define END() sem_destroy(&object)
#elif defined RWLOCK
static pthread_rwlock_t object;
#define MAKE() pthread_rwlock_init(&object, 0)
#define USE() (pthread_rwlock_rdlock(&object), pthread_rwlock_unlock(&object))
#define END() pthread_rwlock_destroy(&object)
#elif defined CONDITION
static pthread_cond_t object;
#define MAKE() pthread_cond_init(&object, 0)
#define USE() pthread_cond_signal(&object)
#define END() pthread_cond_destroy(&object)
#else
static pthread_mutex_t object;
#define MAKE() pthread_mutex_init(&object, 0)
#define USE() (pthread_mutex_lock(&object), pthread_mutex_unlock(&object))
#define END() pthread_mutex_destroy(&object)
#endif

static atomic_int references = 2;

static void *user(void *unused) {
    USE(); // @use
#ifdef FENCED
    atomic_thread_fence(memory_order_release);
#endif
    if (atomic_fetch_sub_explicit(&references, 1, ORDER(DROP)) != 1)
        return unused;
#ifdef LAST_FENCED
    atomic_thread_fence(memory_order_acquire);
#endif
    END(); // @end
    return unused;
}

int main(void) {
    pthread_t a, b;
    MAKE();
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
