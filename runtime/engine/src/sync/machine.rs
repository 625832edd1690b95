//! The state of any synchronisation object, and what a thread may wait for at one.

use super::barrier::Barrier;
use super::mutex::Mutex;
use super::once::Once;
use super::read_write_lock::ReadWriteLock;
use super::semaphore::Semaphore;
use super::sleepers::Sleepers;
use crate::event::{Object, Thread};

/// The state of a synchronisation object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Machine {
    /// The state of a mutex or a spin lock.
    Mutex(Mutex),
    /// The state of a condition variable or of the queue of a futex.
    Sleepers(Sleepers),
    /// The state of a read-write lock.
    ReadWriteLock(ReadWriteLock),
    /// The state of a semaphore.
    Semaphore(Semaphore),
    /// The state of a barrier.
    Barrier(Barrier),
    /// The state of a `pthread_once_t`.
    Once(Once),
}

/// The thing that a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// The thread wants to acquire the mutex.
    Lock(Object),
    /// The thread wants to acquire the read-write lock for reading.
    Read(Object),
    /// The thread wants to acquire the read-write lock for writing.
    Write(Object),
    /// The thread wants to decrement the semaphore.
    Take(Object),
    /// The thread waits for the rest of its round at the barrier.
    Cross(Object),
    /// The thread waits for the end of the function that another thread runs once.
    Once(Object),
    /// The thread waits to be woken, and then for the mutex, if one belongs to the sleep.
    Wake {
        /// The condition variable, or the queue of the futex.
        sleepers: Object,
        /// The mutex that the thread held before it fell asleep.
        mutex: Option<Object>,
    },
    /// The thread waits for the end of another thread.
    Join(Thread),
}

impl Wish {
    /// Whether the state of this object matters to the wish.
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

    /// Whether a cancelled thread that waits for this goes on from here (POSIX.1-2017, volume 2, 2.9.5.2).
    #[must_use]
    pub const fn is_cancellation_point(self) -> bool {
        matches!(self, Self::Take(_) | Self::Wake { mutex: Some(_), .. } | Self::Join(_))
    }
}

/// The condition on which a thread stops waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// The thread waits until it gets what it wants.
    Granted,
    /// The thread waits until it gets what it wants or its time is over, which may be at any moment.
    TimeOut,
    /// The thread waits until it gets what it wants or wakes up for no reason, on which nothing may rely.
    Spurious,
}

macro_rules! as_kind {
    ($($name:ident: $kind:ident),*) => {$(
        /// Returns the state, if the object is of this kind.
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

    /// Returns, as one number, all that decides what a call by this thread that only looks at the object would return now.
    #[must_use]
    pub fn seen(&self, thread: Thread) -> u64 {
        match self {
            Self::Mutex(mutex) => mutex.seen(thread),
            Self::ReadWriteLock(lock) => u64::from(lock.would_read(thread)) | u64::from(lock.would_write(thread)) << 1,
            Self::Semaphore(semaphore) => semaphore.value().into(),
            Self::Sleepers(_) | Self::Barrier(_) | Self::Once(_) => 0,
        }
    }

    /// Whether the object, which is of the kind that the wish names, grants the thread its wish.
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
