//! Store buffering and message passing through each synchronisation call. What TSO allows there is known beforehand, and
//! the machine must show nothing else.

use std::collections::BTreeSet;

use crate::program::{Native, Program, Statement, line};

/// What a call leaves in the store buffer of its thread, by what glibc's and musl's machine code does on this path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leaves {
    /// There is a locked instruction or a system call.
    Nothing,
    /// There are loads and stores alone.
    All,
}

/// A call, with what it needs, in each of two threads. `@` is the number of the thread: 0 or 1.
struct Call {
    /// Of the objects that it uses.
    declarations: &'static [&'static str],
    /// What main does before there are threads.
    setup: &'static [&'static str],
    /// What comes before the store, or the first load.
    before: &'static str,
    /// Itself, between the two accesses.
    call: &'static str,
    leaves: Leaves,
}

/// A call that drains.
const fn call(declarations: &'static [&'static str], setup: &'static [&'static str], call: &'static str) -> Call {
    Call { declarations, setup, before: "", call, leaves: Leaves::Nothing }
}

/// A call that does not drain.
const fn weak(declarations: &'static [&'static str], setup: &'static [&'static str], text: &'static str) -> Call {
    Call { leaves: Leaves::All, ..call(declarations, setup, text) }
}

const fn around(declarations: &'static [&'static str], before: &'static str, text: &'static str) -> Call {
    Call { before, ..call(declarations, &[], text) }
}

const MUTEX: &[&str] = &["SHARED pthread_mutex_t mutex$[2];"];
const MUTEX_SETUP: &[&str] = &["pthread_mutex_init(&mutex$[0], 0);", "pthread_mutex_init(&mutex$[1], 0);"];
const SPIN: &[&str] = &["SHARED pthread_spinlock_t spin$[2];"];
const SPIN_SETUP: &[&str] = &["pthread_spin_init(&spin$[0], 0);", "pthread_spin_init(&spin$[1], 0);"];
const COND: &[&str] = &["SHARED pthread_cond_t cond$[2];"];
const SEM: &[&str] = &["SHARED sem_t sem$[2];"];
const SEM_SETUP: &[&str] = &["sem_init(&sem$[0], 0, 1);", "sem_init(&sem$[1], 0, 1);"];
const EMPTY_SEM_SETUP: &[&str] = &["sem_init(&sem$[0], 0, 0);", "sem_init(&sem$[1], 0, 0);"];
const RW: &[&str] = &["SHARED pthread_rwlock_t rw$[2];"];
const RW_HELD: &[&str] = &["pthread_rwlock_wrlock(&rw$[0]);", "pthread_rwlock_wrlock(&rw$[1]);"];
const ONCE: &[&str] =
    &["SHARED pthread_once_t once$[2];", "SHARED volatile int made$;", "static void make$(void) { made$ = 1; }"];
const C11: &[&str] = &["#include <threads.h>\nSHARED mtx_t mtx$[2];"];
const C11_COND: &[&str] = &["#include <threads.h>\nSHARED cnd_t cnd$[2];"];
const C11_SETUP: &[&str] = &["mtx_init(&mtx$[0], mtx_plain);", "mtx_init(&mtx$[1], mtx_plain);"];

/// All calls whose threads do not meet in them.
const CALLS: &[Call] = &[
    call(MUTEX, MUTEX_SETUP, "pthread_mutex_lock(&mutex$[@]);"),
    call(MUTEX, MUTEX_SETUP, "pthread_mutex_trylock(&mutex$[@]);"),
    Call { before: "pthread_mutex_lock(&mutex$[@]);", ..call(MUTEX, MUTEX_SETUP, "pthread_mutex_unlock(&mutex$[@]);") },
    // Held by main.
    weak(
        MUTEX,
        &["pthread_mutex_lock(&mutex$[0]);", "pthread_mutex_lock(&mutex$[1]);"],
        "pthread_mutex_trylock(&mutex$[@]);",
    ),
    call(SPIN, SPIN_SETUP, "pthread_spin_lock(&spin$[@]);"),
    call(SPIN, SPIN_SETUP, "pthread_spin_trylock(&spin$[@]);"),
    Call { before: "pthread_spin_lock(&spin$[@]);", ..weak(SPIN, SPIN_SETUP, "pthread_spin_unlock(&spin$[@]);") },
    weak(COND, &[], "pthread_cond_signal(&cond$[@]);"),
    weak(COND, &[], "pthread_cond_broadcast(&cond$[@]);"),
    call(SEM, SEM_SETUP, "sem_wait(&sem$[@]);"),
    call(SEM, SEM_SETUP, "sem_trywait(&sem$[@]);"),
    weak(SEM, EMPTY_SEM_SETUP, "sem_trywait(&sem$[@]);"),
    call(SEM, SEM_SETUP, "sem_post(&sem$[@]);"),
    weak(SEM, SEM_SETUP, "{ int value; sem_getvalue(&sem$[@], &value); }"),
    call(RW, &[], "pthread_rwlock_rdlock(&rw$[@]);"),
    call(RW, &[], "pthread_rwlock_wrlock(&rw$[@]);"),
    call(RW, &[], "pthread_rwlock_tryrdlock(&rw$[@]);"),
    call(RW, &[], "pthread_rwlock_trywrlock(&rw$[@]);"),
    weak(RW, RW_HELD, "pthread_rwlock_tryrdlock(&rw$[@]);"),
    weak(RW, RW_HELD, "pthread_rwlock_trywrlock(&rw$[@]);"),
    around(RW, "pthread_rwlock_rdlock(&rw$[@]);", "pthread_rwlock_unlock(&rw$[@]);"),
    around(RW, "pthread_rwlock_wrlock(&rw$[@]);", "pthread_rwlock_unlock(&rw$[@]);"),
    weak(
        ONCE,
        &["pthread_once(&once$[0], make$);", "pthread_once(&once$[1], make$);"],
        "pthread_once(&once$[@], make$);",
    ),
    call(ONCE, &[], "pthread_once(&once$[@], make$);"),
    call(C11, C11_SETUP, "mtx_lock(&mtx$[@]);"),
    call(C11, C11_SETUP, "mtx_trylock(&mtx$[@]);"),
    Call { before: "mtx_lock(&mtx$[@]);", ..call(C11, C11_SETUP, "mtx_unlock(&mtx$[@]);") },
    weak(C11_COND, &["cnd_init(&cnd$[0]);", "cnd_init(&cnd$[1]);"], "cnd_signal(&cnd$[@]);"),
    weak(C11_COND, &["cnd_init(&cnd$[0]);", "cnd_init(&cnd$[1]);"], "cnd_broadcast(&cnd$[@]);"),
    weak(&["SHARED pthread_key_t key$;"], &["pthread_key_create(&key$, 0);"], "pthread_setspecific(key$, (void *)1);"),
    weak(&["SHARED pthread_key_t key$;"], &["pthread_key_create(&key$, 0);"], "pthread_getspecific(key$);"),
    weak(&[], &[], "free(malloc(8));"),
    weak(&[], &[], "pthread_self();"),
];

/// What two threads do around their calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    StoreBuffering,
    MessagePassing,
}

impl Shape {
    const ALL: [Self; 2] = [Self::StoreBuffering, Self::MessagePassing];

    /// The accesses before and after the call, in each of the two threads.
    const fn accesses(self) -> [[&'static str; 2]; 2] {
        match self {
            Self::StoreBuffering => [["x$ = 1;", "r0 = y$;"], ["y$ = 1;", "r0 = x$;"]],
            Self::MessagePassing => [["x$ = 1;", "y$ = 1;"], ["r0 = y$;", "r1 = x$;"]],
        }
    }

    /// The outcomes under TSO. Stores take effect in order there, whatever is between them.
    fn outcomes(self, leaves: Leaves) -> BTreeSet<String> {
        let known: &[&str] = match (self, leaves) {
            (Self::MessagePassing, _) => &["main.1: 0 0", "main.1: 0 1", "main.1: 1 1"],
            (Self::StoreBuffering, Leaves::Nothing) => {
                &["main.0: 0; main.1: 1", "main.0: 1; main.1: 0", "main.0: 1; main.1: 1"]
            }
            (Self::StoreBuffering, Leaves::All) => {
                &["main.0: 0; main.1: 0", "main.0: 0; main.1: 1", "main.0: 1; main.1: 0", "main.0: 1; main.1: 1"]
            }
        };
        known.iter().map(|&outcome| outcome.to_owned()).collect()
    }
}

fn thread(call: &Call, index: usize, [first, second]: [&str; 2]) -> Vec<Statement> {
    let index = index.to_string();
    let lines = [call.before, first, call.call, second].map(|text| text.replace('@', &index));
    lines.into_iter().filter(|text| !text.is_empty()).map(line).collect()
}

/// A program for each call and shape; their seeds count from 0.
pub(crate) fn programs() -> Vec<Program> {
    let pairs = CALLS.iter().flat_map(|call| Shape::ALL.into_iter().map(move |shape| (call, shape)));
    let program = |(seed, (call, shape)): (usize, (&Call, Shape))| {
        let shared = ["SHARED volatile int x$;", "SHARED volatile int y$;"];
        Program {
            seed: seed as u64,
            declarations: shared.iter().chain(call.declarations).map(|&text| text.to_owned()).collect(),
            setup: call.setup.iter().map(|&text| line(text)).collect(),
            threads: (0..2).map(|index| thread(call, index, shape.accesses()[index])).collect(),
            created: 2,
            main: Vec::new(),
            end: Vec::new(),
            native: Native::Runs,
            known: Some(shape.outcomes(call.leaves)),
        }
    };
    pairs.enumerate().map(program).collect()
}
