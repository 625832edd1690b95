//! Any synchronisation object, and what a thread may want of one.

use super::barrier::Barrier;
use super::mutex::Mutex;
use super::once::Once;
use super::read_write_lock::ReadWriteLock;
use super::semaphore::Semaphore;
use super::sleepers::Sleepers;
use crate::event::{Object, Thread};

/// The state of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Machine {
    /// Of a mutex or a spin lock.
    Mutex(Mutex),
    /// Of a condition variable or a futex.
    Sleepers(Sleepers),
    /// Of a read-write lock.
    ReadWriteLock(ReadWriteLock),
    /// Of a semaphore.
    Semaphore(Semaphore),
    /// Of a barrier.
    Barrier(Barrier),
    /// Of a `pthread_once_t`.
    Once(Once),
}

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// To acquire the mutex.
    Lock(Object),
    /// To acquire the read-write lock for reading.
    Read(Object),
    /// To acquire the read-write lock for writing.
    Write(Object),
    /// To take one from the semaphore.
    Take(Object),
    /// The rest of its round at the barrier.
    Cross(Object),
    /// The end of the function that another thread runs once.
    Once(Object),
    /// To be woken, and then the mutex, if one belongs to the sleep.
    Wake {
        /// The condition variable, or the queue of the futex.
        sleepers: Object,
        /// The mutex that it had held.
        mutex: Option<Object>,
    },
    /// The end of the thread.
    Join(Thread),
}

impl Wish {
    /// Whether the state of the object matters.
    #[must_use]
    pub fn concerns(self, object: Object) -> bool {
        match self {
            Self::Lock(on) | Self::Read(on) | Self::Write(on) | Self::Take(on) | Self::Cross(on) | Self::Once(on) => {
                on == object
            }
            Self::Wake { sleepers, mutex } => sleepers == object || mutex == Some(object),
            Self::Join(_) => false,
        }
    }

    /// Whether a thread that is cancelled goes on from here (POSIX.1-2017, volume 2, 2.9.5.2).
    #[must_use]
    pub const fn is_cancellation_point(self) -> bool {
        matches!(self, Self::Take(_) | Self::Wake { mutex: Some(_), .. } | Self::Join(_))
    }
}

/// How long a thread waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// Until it gets what it wants.
    Granted,
    /// Or until some time, which may come at any moment.
    TimeOut,
    /// Or until it wakes up for no reason, on which nobody may count.
    Spurious,
}

macro_rules! as_kind {
    ($($name:ident: $kind:ident),*) => {$(
        /// The state, if the object is of this kind.
        pub const fn $name(&mut self) -> Option<&mut $kind> {
            if let Self::$kind(state) = self { Some(state) } else { None }
        }
    )*};
}

impl Machine {
    as_kind!(
        mutex: Mutex,
        sleepers: Sleepers,
        read_write_lock: ReadWriteLock,
        semaphore: Semaphore,
        barrier: Barrier,
        once: Once
    );

    /// All that decides what a call by this thread that only looks would return now, in a number.
    #[must_use]
    pub fn seen(&self, thread: Thread) -> u64 {
        match self {
            Self::Mutex(mutex) => mutex.seen(thread),
            Self::ReadWriteLock(lock) => u64::from(lock.would_read(thread)) | u64::from(lock.would_write(thread)) << 1,
            Self::Semaphore(semaphore) => semaphore.value().into(),
            Self::Sleepers(_) | Self::Barrier(_) | Self::Once(_) => 0,
        }
    }

    /// Whether the object, of this kind, grants the wish.
    #[must_use]
    pub fn grants(&self, thread: Thread, wish: Wish) -> bool {
        match (self, wish) {
            (Self::Mutex(mutex), Wish::Lock(_)) => mutex.would_return(thread),
            (Self::ReadWriteLock(lock), Wish::Read(_)) => lock.would_read(thread),
            (Self::ReadWriteLock(lock), Wish::Write(_)) => lock.would_write(thread),
            (Self::Semaphore(semaphore), Wish::Take(_)) => semaphore.value() > 0,
            (Self::Barrier(barrier), Wish::Cross(_)) => barrier.is_released(thread),
            (Self::Once(once), Wish::Once(_)) => once.would_enter(),
            (Self::Sleepers(sleepers), Wish::Wake { .. }) => sleepers.is_woken(thread),
            _ => false,
        }
    }
}
