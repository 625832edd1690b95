//! The answer to whether a wish of a thread is granted, given what the other threads do and the states of objects.

use super::objects::Objects;
use super::threads::{Status, Threads};
use crate::event::Thread;
use crate::sync::machine::Wish;

/// Whether a wish is fulfilled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grant {
    Now,
    /// The thread is awake and only waits for the mutex: its sleep cannot run out any more.
    Later,
    /// The wish is not granted as things stand.
    Never,
}

/// Returns whether the wish of this thread is granted.
#[inline]
pub(super) fn grants(threads: &Threads, objects: &Objects, thread: Thread, wish: Wish) -> Grant {
    let of = |object| objects.get(object).is_some_and(|state| state.grants(thread, wish));
    let granted = match wish {
        Wish::Join(other) => threads.status(other) == Status::Ended,
        Wish::Lock(on) | Wish::Read(on) | Wish::Write(on) | Wish::Take(on) | Wish::Cross(on) | Wish::Once(on) => of(on),
        Wish::Wake { sleepers, mutex } => {
            let woken = of(sleepers);
            let locks = |mutex| objects.mutex(mutex).is_some_and(|mutex| mutex.would_return(thread));
            if woken && !mutex.is_none_or(locks) {
                return Grant::Later;
            }
            woken
        }
    };
    if granted { Grant::Now } else { Grant::Never }
}
