//! `pthread_mutex_t`: normal, error-checking and recursive, as POSIX.1-2017 describes them (`pthread_mutex_lock`).

use crate::event::Thread;

/// The type of a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Type {
    /// Locking it twice blocks for ever. `PTHREAD_MUTEX_DEFAULT` too.
    #[default]
    Normal,
    /// Locking it twice is an error.
    ErrorChecking,
    /// May be locked again by its owner, and is free after as many unlocks.
    Recursive,
}

/// Why a call on a mutex failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// `EBUSY`: it is held.
    Busy,
    /// `EDEADLK`: the caller holds it already.
    WouldDeadlock,
    /// `EPERM`: the caller does not hold it.
    NotOwner,
    /// Not an error that the call returns but undefined behaviour: a normal mutex that the caller does not hold.
    Undefined,
}

/// A mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mutex {
    kind: Type,
    owner: Option<Thread>,
    depth: u32,
}

impl Mutex {
    /// A free mutex.
    #[must_use]
    pub const fn new(kind: Type) -> Self {
        Self { kind, owner: None, depth: 0 }
    }

    /// The thread that holds it.
    #[must_use]
    pub const fn owner(&self) -> Option<Thread> {
        self.owner
    }

    /// All of its state in a number: who holds it, and how many times.
    #[must_use]
    pub fn state(&self) -> u64 {
        self.owner.map_or(0, |owner| (u64::from(owner.0) + 1) | (u64::from(self.depth) << 8))
    }

    /// Whether `pthread_mutex_trylock` by this thread would succeed now.
    #[must_use]
    pub fn is_free_for(&self, thread: Thread) -> bool {
        self.owner.is_none_or(|owner| owner == thread && self.kind == Type::Recursive)
    }

    /// Whether `pthread_mutex_lock` by this thread would return now.
    #[must_use]
    pub fn would_return(&self, thread: Thread) -> bool {
        self.owner.is_none_or(|owner| owner == thread && self.kind != Type::Normal)
    }

    /// `pthread_mutex_lock`, where it returns.
    ///
    /// # Errors
    /// [`Refusal::WouldDeadlock`].
    ///
    /// # Panics
    /// If it would not return ([`Mutex::would_return`]).
    pub fn lock(&mut self, thread: Thread) -> Result<(), Refusal> {
        assert!(self.would_return(thread), "a lock that blocks is not performed");
        if self.owner == Some(thread) && self.kind == Type::ErrorChecking {
            return Err(Refusal::WouldDeadlock);
        }
        self.owner = Some(thread);
        self.depth += 1;
        Ok(())
    }

    /// `pthread_mutex_trylock`.
    ///
    /// # Errors
    /// [`Refusal::Busy`].
    pub fn try_lock(&mut self, thread: Thread) -> Result<(), Refusal> {
        if !self.is_free_for(thread) {
            return Err(Refusal::Busy);
        }
        self.owner = Some(thread);
        self.depth += 1;
        Ok(())
    }

    /// `pthread_mutex_unlock`.
    ///
    /// # Errors
    /// [`Refusal::NotOwner`] or [`Refusal::Undefined`].
    pub fn unlock(&mut self, thread: Thread) -> Result<(), Refusal> {
        if self.owner != Some(thread) {
            return Err(if self.kind == Type::Normal { Refusal::Undefined } else { Refusal::NotOwner });
        }
        self.depth -= 1;
        if self.depth == 0 {
            self.owner = None;
        }
        Ok(())
    }

    /// `pthread_mutex_destroy`.
    ///
    /// # Errors
    /// [`Refusal::Busy`].
    pub const fn destroy(&self) -> Result<(), Refusal> {
        if self.owner.is_some() { Err(Refusal::Busy) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Thread = Thread(0);
    const B: Thread = Thread(1);

    #[derive(Clone, Copy, Debug)]
    enum Call {
        Lock(Thread),
        TryLock(Thread),
        Unlock(Thread),
    }

    /// POSIX in other words: the list of holds, newest last.
    fn expected(kind: Type, holds: &mut Vec<Thread>, call: Call) -> Option<Result<(), Refusal>> {
        let holder = holds.last().copied();
        match (call, holder) {
            (Call::Lock(t) | Call::TryLock(t), None) => {
                holds.push(t);
                Some(Ok(()))
            }
            (Call::Lock(t) | Call::TryLock(t), Some(h)) if h == t && kind == Type::Recursive => {
                holds.push(t);
                Some(Ok(()))
            }
            (Call::Lock(t), Some(h)) if h == t && kind == Type::ErrorChecking => Some(Err(Refusal::WouldDeadlock)),
            (Call::Lock(_), Some(_)) => None,
            (Call::TryLock(_), Some(_)) => Some(Err(Refusal::Busy)),
            (Call::Unlock(t), Some(h)) if h == t => {
                holds.pop();
                Some(Ok(()))
            }
            (Call::Unlock(_), _) if kind == Type::Normal => Some(Err(Refusal::Undefined)),
            (Call::Unlock(_), _) => Some(Err(Refusal::NotOwner)),
        }
    }

    #[test]
    fn all_sequences_of_six_calls_of_two_threads_follow_posix() {
        let calls: Vec<Call> =
            [A, B].into_iter().flat_map(|t| [Call::Lock(t), Call::TryLock(t), Call::Unlock(t)]).collect();
        for kind in [Type::Normal, Type::ErrorChecking, Type::Recursive] {
            for sequence in 0..calls.len().pow(6) {
                let (mut mutex, mut holds, mut rest) = (Mutex::new(kind), Vec::new(), sequence);
                for _ in 0..6 {
                    let call = calls[rest % calls.len()];
                    rest /= calls.len();
                    let returns = expected(kind, &mut holds, call);
                    let got = match call {
                        Call::Lock(t) => mutex.would_return(t).then(|| mutex.lock(t)),
                        Call::TryLock(t) => Some(mutex.try_lock(t)),
                        Call::Unlock(t) => Some(mutex.unlock(t)),
                    };
                    assert_eq!(got, returns, "{kind:?} {call:?} in sequence {sequence}");
                    assert_eq!(mutex.owner(), holds.last().copied());
                    assert_eq!(mutex.destroy().is_ok(), holds.is_empty());
                }
            }
        }
    }
}
