//! The state of a `pthread_mutex_t`: normal, error-checking and recursive, stalled and robust, as POSIX.1-2017 describes them
//! (`pthread_mutex_lock`, `pthread_mutexattr_setrobust`). `mtx_t` and spin locks too.

use crate::event::Thread;

/// The type of a mutex, which decides what happens when its owner locks it again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Type {
    /// Locking the mutex twice blocks for ever. This is also `PTHREAD_MUTEX_DEFAULT`.
    #[default]
    Normal,
    /// Locking the mutex twice is an error.
    ErrorChecking,
    /// The mutex may be locked again by its owner, and is free after as many unlocks.
    Recursive,
}

/// The rule for a mutex whose owner ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Robustness {
    /// The mutex stays locked for ever.
    #[default]
    Stalled,
    /// The next thread to lock the mutex gets it, and is told that its owner has ended.
    Robust,
}

/// The way in which a mutex was acquired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acquired {
    /// The mutex was free, or held by a thread that may lock it again.
    Clean,
    /// The mutex's last owner ended while it held it (`EOWNERDEAD`).
    OwnerDied,
}

/// The reason why a call on a mutex failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The mutex is held (`EBUSY`).
    Busy,
    /// The caller holds the mutex already (`EDEADLK`).
    WouldDeadlock,
    /// The caller does not hold the mutex (`EPERM`).
    NotOwner,
    /// The mutex was released after its owner had ended, and was not made consistent (`ENOTRECOVERABLE`).
    NotRecoverable,
    /// There is nothing to make consistent (`EINVAL`).
    Consistent,
    /// The call is undefined, and returns no error: it unlocks a normal mutex that the caller does not hold.
    Undefined,
}

/// A mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Mutex {
    kind: Type,
    robustness: Robustness,
    owner: Option<Thread>,
    depth: u32,
    health: Health,
}

/// The state in which the death of an owner has left the mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Health {
    #[default]
    Consistent,
    /// The owner died, and no thread that has held the mutex since has made it consistent.
    Orphaned,
    /// The mutex was released before it was made consistent, and can never be locked again.
    NotRecoverable,
}

impl Mutex {
    /// Makes a free mutex, which is not robust.
    #[must_use]
    pub const fn new(kind: Type) -> Self {
        Self { kind, robustness: Robustness::Stalled, owner: None, depth: 0, health: Health::Consistent }
    }

    /// Returns the mutex's type.
    #[must_use]
    pub const fn kind(&self) -> Type {
        self.kind
    }

    /// Returns what becomes of the mutex when its owner ends.
    #[must_use]
    pub const fn robustness(&self) -> Robustness {
        self.robustness
    }

    /// Returns the mutex with this robustness.
    #[must_use]
    pub const fn with(self, robustness: Robustness) -> Self {
        Self { robustness, ..self }
    }

    /// Returns the thread that holds the mutex.
    #[must_use]
    pub const fn owner(&self) -> Option<Thread> {
        self.owner
    }

    /// Returns the whole state of the mutex as one number: its owner, how many times it is held, and what the death of an owner
    /// has left. A mutex in its initial state has 0.
    #[must_use]
    pub fn state(&self) -> u64 {
        let held = self.owner.map_or(0, |owner| (u64::from(owner.0) + 1) | (u64::from(self.depth) << 8));
        held | (self.health as u64) << 40
    }

    /// Returns, as one number, all that decides what `pthread_mutex_trylock` by this thread would return now.
    #[must_use]
    pub fn seen(&self, thread: Thread) -> u64 {
        u64::from(self.is_free_for(thread)) | (self.health as u64) << 1
    }

    /// Whether `pthread_mutex_trylock` by this thread would succeed now.
    #[must_use]
    pub fn is_free_for(&self, thread: Thread) -> bool {
        self.owner.is_none_or(|owner| owner == thread && self.kind == Type::Recursive)
    }

    /// Whether `pthread_mutex_lock` by this thread would return now.
    #[must_use]
    pub fn would_return(&self, thread: Thread) -> bool {
        self.health == Health::NotRecoverable
            || self.owner.is_none_or(|owner| owner == thread && self.kind != Type::Normal)
    }

    /// Performs `pthread_mutex_lock`, which must be able to return.
    ///
    /// # Errors
    /// [`Refusal::WouldDeadlock`] or [`Refusal::NotRecoverable`].
    ///
    /// # Panics
    /// If the call would not return ([`Mutex::would_return`]).
    pub fn lock(&mut self, thread: Thread) -> Result<Acquired, Refusal> {
        assert!(self.would_return(thread), "a lock that blocks is not performed");
        if self.owner == Some(thread) && self.kind == Type::ErrorChecking {
            return Err(Refusal::WouldDeadlock);
        }
        self.acquire(thread)
    }

    /// Performs `pthread_mutex_trylock`.
    ///
    /// # Errors
    /// [`Refusal::Busy`] or [`Refusal::NotRecoverable`].
    pub fn try_lock(&mut self, thread: Thread) -> Result<Acquired, Refusal> {
        if !self.is_free_for(thread) {
            return Err(Refusal::Busy);
        }
        self.acquire(thread)
    }

    fn acquire(&mut self, thread: Thread) -> Result<Acquired, Refusal> {
        if self.health == Health::NotRecoverable {
            return Err(Refusal::NotRecoverable);
        }
        let fresh = self.owner.is_none();
        self.owner = Some(thread);
        self.depth += 1;
        Ok(if fresh && self.health == Health::Orphaned { Acquired::OwnerDied } else { Acquired::Clean })
    }

    /// Performs `pthread_mutex_unlock`.
    ///
    /// # Errors
    /// [`Refusal::NotOwner`] or [`Refusal::Undefined`].
    pub fn unlock(&mut self, thread: Thread) -> Result<(), Refusal> {
        if self.owner != Some(thread) {
            let checked = self.kind != Type::Normal || self.robustness == Robustness::Robust;
            return Err(if checked { Refusal::NotOwner } else { Refusal::Undefined });
        }
        self.depth -= 1;
        if self.depth == 0 {
            self.owner = None;
            if self.health == Health::Orphaned {
                self.health = Health::NotRecoverable;
            }
        }
        Ok(())
    }

    /// Performs `pthread_mutex_consistent`.
    ///
    /// # Errors
    /// [`Refusal::Consistent`].
    pub fn make_consistent(&mut self, thread: Thread) -> Result<(), Refusal> {
        if self.health != Health::Orphaned || self.owner != Some(thread) {
            return Err(Refusal::Consistent);
        }
        self.health = Health::Consistent;
        Ok(())
    }

    /// Whether the end of this thread would make the mutex orphaned.
    #[must_use]
    pub fn is_left_behind_by(&self, thread: Thread) -> bool {
        self.robustness == Robustness::Robust && self.owner == Some(thread)
    }

    /// Notes that the owner of the mutex, which is robust, ends.
    pub const fn orphan(&mut self) {
        (self.owner, self.depth, self.health) = (None, 0, Health::Orphaned);
    }

    /// Checks that `pthread_mutex_destroy` may destroy the mutex.
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
                        Call::Lock(t) => mutex.would_return(t).then(|| mutex.lock(t).map(|_| ())),
                        Call::TryLock(t) => Some(mutex.try_lock(t).map(|_| ())),
                        Call::Unlock(t) => Some(mutex.unlock(t)),
                    };
                    assert_eq!(got, returns, "{kind:?} {call:?} in sequence {sequence}");
                    assert_eq!(mutex.owner(), holds.last().copied());
                    assert_eq!(mutex.destroy().is_ok(), holds.is_empty());
                }
            }
        }
    }
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Lock(Thread),
        TryLock(Thread),
        Unlock(Thread),
        Consistent(Thread),
        /// The thread ends, and another one takes its place.
        Dies(Thread),
    }

    /// A robust normal mutex in other words: the owner, and two marks.
    #[derive(Default)]
    struct Robust {
        owner: Option<Thread>,
        dead: bool,
        broken: bool,
    }

    impl Robust {
        fn expected(&mut self, event: Event) -> Option<Result<Acquired, Refusal>> {
            let acquired = if self.dead { Acquired::OwnerDied } else { Acquired::Clean };
            match event {
                Event::Lock(_) | Event::TryLock(_) if self.broken => return Some(Err(Refusal::NotRecoverable)),
                Event::Lock(_) if self.owner.is_some() => return None,
                Event::TryLock(_) if self.owner.is_some() => return Some(Err(Refusal::Busy)),
                Event::Lock(t) | Event::TryLock(t) => {
                    self.owner = Some(t);
                    return Some(Ok(acquired));
                }
                Event::Unlock(t) | Event::Consistent(t) | Event::Dies(t) if self.owner != Some(t) => {
                    return match event {
                        Event::Unlock(_) => Some(Err(Refusal::NotOwner)),
                        Event::Consistent(_) => Some(Err(Refusal::Consistent)),
                        _ => Some(Ok(Acquired::Clean)),
                    };
                }
                Event::Unlock(_) => {
                    self.owner = None;
                    self.broken = std::mem::take(&mut self.dead);
                }
                Event::Consistent(_) if !self.dead => return Some(Err(Refusal::Consistent)),
                Event::Consistent(_) => self.dead = false,
                Event::Dies(_) => {
                    self.owner = None;
                    self.dead = true;
                }
            }
            Some(Ok(Acquired::Clean))
        }
    }

    #[test]
    fn all_sequences_of_six_events_on_a_robust_mutex_follow_posix() {
        let of = |t| [Event::Lock(t), Event::TryLock(t), Event::Unlock(t), Event::Consistent(t), Event::Dies(t)];
        let events: Vec<Event> = [A, B].into_iter().flat_map(of).collect();
        for sequence in 0..events.len().pow(6) {
            let mut mutex = Mutex::new(Type::Normal).with(Robustness::Robust);
            let (mut robust, mut rest) = (Robust::default(), sequence);
            for _ in 0..6 {
                let event = events[rest % events.len()];
                rest /= events.len();
                let returns = robust.expected(event);
                let got = match event {
                    Event::Lock(t) => mutex.would_return(t).then(|| mutex.lock(t)),
                    Event::TryLock(t) => Some(mutex.try_lock(t)),
                    Event::Unlock(t) => Some(mutex.unlock(t).map(|()| Acquired::Clean)),
                    Event::Consistent(t) => Some(mutex.make_consistent(t).map(|()| Acquired::Clean)),
                    Event::Dies(t) => {
                        if mutex.is_left_behind_by(t) {
                            mutex.orphan();
                        }
                        Some(Ok(Acquired::Clean))
                    }
                };
                assert_eq!(got, returns, "{event:?} in sequence {sequence}");
                assert_eq!(mutex.owner(), robust.owner);
            }
        }
    }
}
