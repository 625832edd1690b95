//! The effects of calls that synchronise threads on their thread's store buffer: one row for each call and path.
//!
//! A path is an outcome of a call. A row is as strong as the weakest known implementation on x86: glibc 2.36 and musl
//! 1.2 were read, and `scripts/fence-table` measures glibc. Where one of them does not drain on a path, nobody may count on
//! it, and the row does not drain. POWER follows the orders that these sources ask for.
//!
//! Monitors, execution graphs and the analysis of transactions read this table; docs/limits.md prints it.

use Effect::{Fence, Load, Store, Update};
use Order::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};

use super::{Order, store};
use crate::event::Barrier;

/// The effect of a call on memory, on some path, as far as it orders its thread's other accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The call is a full fence on all machines.
    Fence,
    /// The call makes an interlocked access: a full fence under TSO and PSO, of this order on POWER.
    Update(Order),
    /// The call makes a store of this order, which waits in the store buffer as others do.
    Store(Order),
    /// The call makes a load of this order, or nothing that another thread could see.
    Load(Order),
}

impl Effect {
    /// Returns the barrier before the call takes effect under TSO and PSO.
    #[must_use]
    pub const fn before(self) -> Barrier {
        match self {
            Self::Fence | Self::Update(_) => Barrier::Full,
            Self::Store(order) => store(order).before,
            Self::Load(_) => Barrier::None,
        }
    }

    /// Whether the store buffer of the call's thread is empty afterwards.
    #[must_use]
    pub const fn drains(self) -> bool {
        matches!(self.before(), Barrier::Full)
    }

    /// Returns the call's order on POWER, ARM and RISC-V.
    #[must_use]
    pub const fn order(self) -> Order {
        match self {
            Self::Fence => SequentiallyConsistent,
            Self::Update(order) | Self::Store(order) | Self::Load(order) => order,
        }
    }
}

/// A call with one of its outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Path {
    /// The names of the functions.
    pub calls: &'static str,
    /// The outcome.
    pub when: &'static str,
    /// The effect on memory.
    pub effect: Effect,
    /// The reason why the effect is known.
    pub why: &'static str,
}

impl Path {
    /// Whether this is an outcome of the function.
    #[must_use]
    pub fn is_of(&self, call: &str) -> bool {
        self.calls.split_whitespace().any(|name| name == call)
    }

    /// Returns the path's order by C11, by which neither a signal, nor falling asleep, nor waking up synchronises: the mutex
    /// does.
    #[must_use]
    pub fn order_in_c11(&self) -> Order {
        if [SIGNAL, SLEEP, WAKE].contains(self) { Relaxed } else { self.effect.order() }
    }

    /// Returns the row of the table in docs/limits.md.
    #[must_use]
    pub fn line(&self) -> String {
        let Self { calls, when, effect, why } = self;
        let (tso, pso) = match *effect {
            Fence | Update(_) => ("drains", "drains"),
            Store(order) if matches!(store(order).before, Barrier::None) => ("is a store", "is a store"),
            Store(_) => ("is a store", "is a store behind a store–store barrier"),
            Load(_) => ("nothing", "nothing"),
        };
        let power = match effect.order() {
            Relaxed => "nothing",
            Acquire => "acquires",
            Release => "releases",
            AcquireRelease => "acquires and releases",
            SequentiallyConsistent => "`sync`",
        };
        let calls: Vec<String> = calls.split(' ').map(|call| format!("`{call}`")).collect();
        format!("| {} | {when} | {tso} | {pso} | {power} | {why} |", calls.join(" "))
    }
}

macro_rules! table {
    ($($(#[$doc:meta])* $name:ident: $calls:literal, $when:literal, $effect:expr, $why:literal;)*) => {
        $(
            $(#[$doc])*
            pub const $name: Path = Path { calls: $calls, when: $when, effect: $effect, why: $why };
        )*
        /// All rows of the table.
        pub const TABLE: &[Path] = &[$($name),*];
    };
}

table! {
    /// A thread is created.
    CREATE: "pthread_create thrd_create", "always", Fence,
        "`clone` is a system call behind locked instructions";
    /// A thread that has ended is joined.
    JOIN: "pthread_join pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np thrd_join",
        "the thread has ended", Fence, "a locked compare-and-swap of `joinid`";
    /// A thread that is to be joined has not ended.
    JOIN_FAILS: "pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np", "the thread still runs",
        Load(Relaxed), "glibc's try, and musl's limit that is over, read the thread's state alone";
    /// A mutex is acquired.
    MUTEX_LOCK: "pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock mtx_lock \
        mtx_trylock mtx_timedlock", "it becomes the thread's", Update(Acquire), "a locked compare-and-swap";
    /// A mutex is another thread's, or the thread's own.
    MUTEX_BUSY: "pthread_mutex_trylock mtx_trylock", "it is held", Load(Relaxed),
        "glibc reads the lock first, musl the owner of one that is not normal; it is swapped where it was free alone";
    /// A limited wait for a mutex is over.
    MUTEX_TIME_OUT: "pthread_mutex_timedlock pthread_mutex_clocklock mtx_timedlock", "the limit is over",
        Update(Relaxed), "locked instructions in front of the wait";
    /// A recursive mutex stays the thread's.
    MUTEX_AGAIN: "pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock \
        pthread_mutex_unlock mtx_lock mtx_trylock mtx_timedlock mtx_unlock",
        "a recursive one was the thread's, and stays it", Load(Relaxed), "a counter of the owner's own";
    /// A mutex cannot be acquired or released by this thread.
    MUTEX_REFUSED: "pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_clocklock \
        pthread_mutex_unlock", "an error that is neither of the above", Load(Relaxed), "the owner is read alone";
    /// A mutex is released.
    MUTEX_UNLOCK: "pthread_mutex_unlock mtx_unlock", "it is released", Update(Release), "a locked exchange";
    /// A spin lock is acquired.
    SPIN_LOCK: "pthread_spin_lock pthread_spin_trylock", "it becomes the thread's", Update(Acquire),
        "a locked exchange";
    /// A spin lock is held.
    SPIN_BUSY: "pthread_spin_trylock", "it is held", Update(Relaxed), "a locked exchange, which finds it held";
    /// A spin lock is released.
    SPIN_UNLOCK: "pthread_spin_unlock", "always", Store(Release), "glibc's is a plain `movl`";
    /// A signal has somebody to wake.
    SIGNAL: "pthread_cond_signal pthread_cond_broadcast cnd_signal cnd_broadcast", "a thread sleeps",
        Update(Release), "a lock within the condition variable";
    /// A signal has nobody to wake.
    SIGNAL_NOBODY: "pthread_cond_signal pthread_cond_broadcast cnd_signal cnd_broadcast", "no thread sleeps",
        Load(Relaxed), "glibc reads `__wrefs`, and returns";
    /// A thread falls asleep on a condition variable.
    SLEEP: "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait cnd_wait cnd_timedwait",
        "as it falls asleep", Update(Release), "a locked addition, and the mutex's unlock";
    /// A thread wakes, or its limit is over.
    WAKE: "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait cnd_wait cnd_timedwait",
        "as it wakes, or its limit is over", Update(Acquire), "a locked addition, and the mutex's lock";
    /// A thread may not fall asleep.
    SLEEP_REFUSED: "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait", "`EPERM`", Load(Relaxed),
        "musl reads the mutex's owner alone";
    /// A read-write lock is acquired.
    RW_LOCK: "pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock \
        pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock",
        "it becomes the thread's", Update(Acquire), "a locked addition or compare-and-swap";
    /// A read-write lock is held.
    RW_BUSY: "pthread_rwlock_tryrdlock pthread_rwlock_trywrlock", "it is held", Load(Relaxed),
        "`__readers` is read alone";
    /// A read-write lock is the thread's own.
    RW_REFUSED: "pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock \
        pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock", "`EDEADLK`", Load(Relaxed),
        "`__cur_writer` is read alone";
    /// A limited wait for a read-write lock is over.
    RW_TIME_OUT: "pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock pthread_rwlock_timedwrlock \
        pthread_rwlock_clockwrlock", "the limit is over", Update(Relaxed), "locked instructions in front of the wait";
    /// A read-write lock is released.
    RW_UNLOCK: "pthread_rwlock_unlock", "always", Update(Release), "locked compare-and-swaps";
    /// A semaphore is decremented.
    SEMAPHORE_WAIT: "sem_wait sem_trywait sem_timedwait sem_clockwait", "it was above 0", Update(Acquire),
        "a locked compare-and-swap";
    /// A semaphore is 0.
    SEMAPHORE_EMPTY: "sem_trywait", "it is 0", Load(Relaxed), "the value is read alone";
    /// A limited wait for a semaphore is over.
    SEMAPHORE_TIME_OUT: "sem_timedwait sem_clockwait", "the limit is over", Update(Relaxed),
        "a locked addition in front of the wait";
    /// A semaphore is incremented.
    SEMAPHORE_POST: "sem_post", "it is incremented", Update(Release), "a locked compare-and-swap";
    /// A semaphore has its highest value.
    SEMAPHORE_FULL: "sem_post", "`EOVERFLOW`", Load(Relaxed), "the value is read alone";
    /// A semaphore is looked at.
    SEMAPHORE_VALUE: "sem_getvalue", "always", Load(Relaxed), "the value is read alone";
    /// A thread comes to a barrier.
    BARRIER_ARRIVE: "pthread_barrier_wait", "as it arrives", Update(AcquireRelease), "a locked addition";
    /// A thread leaves a barrier.
    BARRIER_LEAVE: "pthread_barrier_wait", "as it leaves", Update(Acquire), "a locked addition";
    /// The first call of a function that runs once.
    ONCE_FIRST: "pthread_once call_once", "as it begins to run the function", Update(Acquire),
        "a locked compare-and-swap";
    /// The function has run.
    ONCE_RETURN: "pthread_once call_once", "as it has run the function", Update(Release),
        "glibc's `futex` system call fences; musl exchanges";
    /// The function had run before.
    ONCE_DONE: "pthread_once call_once", "the function has run", Load(Acquire), "glibc reads the word, and returns";
    /// A thread is cancelled.
    CANCEL: "pthread_cancel", "the thread was not cancelled before", Update(Release), "a locked compare-and-swap";
    /// A thread is cancelled once more.
    CANCEL_AGAIN: "pthread_cancel", "the thread was, or has ended", Load(Relaxed), "its state is read alone";
    /// A thread asks whether it is cancelled.
    TEST_CANCEL: "pthread_testcancel", "the thread goes on", Load(Relaxed), "its state is read alone";
    /// A robust mutex's owner ends.
    OWNER_DIES: "pthread_exit", "for each robust mutex that the thread holds", Update(Release),
        "the kernel's locked compare-and-swap";
    /// An object comes to life, where that is an event.
    INITIALISE: "pthread_cond_init pthread_rwlock_init pthread_barrier_init sem_init", "always", Store(Relaxed),
        "plain stores";
    /// What the C library keeps for all threads is used.
    LIBRARY: "rand srand random srandom drand48 lrand48 mrand48 srand48 getrandom getentropy arc4random \
        arc4random_uniform arc4random_buf strtok", "always", Store(Relaxed), "musl's are plain accesses";
    /// The system call.
    FUTEX: "syscall", "`futex`", Fence, "the kernel fences in front of its queue in each path";
}

/// The outcomes that drain nothing where others of the same call do, and that depend on what other threads have done. Other
/// outcomes that drain nothing depend on the caller alone, or are errors.
pub const DECIDED_BY_OTHERS: [Path; 7] =
    [JOIN_FAILS, MUTEX_BUSY, SIGNAL_NOBODY, RW_BUSY, SEMAPHORE_EMPTY, ONCE_DONE, CANCEL_AGAIN];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alone_does_not_drain() {
        for path in [ONCE_DONE, SIGNAL_NOBODY, SEMAPHORE_VALUE, SEMAPHORE_EMPTY, RW_BUSY, MUTEX_AGAIN] {
            assert_eq!(path.effect.before(), Barrier::None, "{}", path.calls);
        }
    }

    #[test]
    fn what_others_decide_may_drain_or_not() {
        for path in DECIDED_BY_OTHERS {
            assert!(!path.effect.drains(), "{}", path.calls);
            for call in path.calls.split(' ') {
                assert!(TABLE.iter().any(|other| other.is_of(call) && other.effect.drains()), "{call}");
            }
        }
    }

    #[test]
    fn a_spin_lock_is_released_by_a_store() {
        assert_eq!(SPIN_UNLOCK.effect.before(), Barrier::StoreStore);
        assert!(!SPIN_UNLOCK.effect.drains() && SPIN_LOCK.effect.drains());
    }

    #[test]
    fn a_call_has_one_row_for_each_outcome() {
        let rows: Vec<(&str, &str)> =
            TABLE.iter().flat_map(|path| path.calls.split(' ').map(|call| (call, path.when))).collect();
        for (index, row) in rows.iter().enumerate() {
            assert!(!rows[..index].contains(row), "{row:?}");
        }
    }
}
