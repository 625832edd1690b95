//! The state of a `pthread_rwlock_t`. A reader gets in unless a writer holds the lock: POSIX leaves open whether one that only
//! waits keeps readers out, and with readers first no execution is lost but those in which a thread that reads already blocks as
//! it locks again for reading.

use crate::event::Thread;

/// The reason why a call on a read-write lock failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The lock is held so that the caller would have to wait (`EBUSY`).
    Busy,
    /// The caller holds the lock for writing already (`EDEADLK`).
    WouldDeadlock,
    /// The caller does not hold the lock, which is undefined behaviour.
    Undefined,
}

/// The way in which a thread that has released the lock held it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// The thread held the lock for reading.
    ForReading,
    /// The thread held the lock for writing.
    ForWriting,
}

/// A read-write lock.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ReadWriteLock {
    writer: Option<Thread>,
    /// The threads that hold the lock for reading; one that holds it twice is listed twice.
    readers: Vec<Thread>,
}

impl ReadWriteLock {
    /// Returns the thread that holds the lock for writing.
    #[must_use]
    pub const fn writer(&self) -> Option<Thread> {
        self.writer
    }

    /// Returns the threads that hold the lock for reading.
    #[must_use]
    pub fn readers(&self) -> &[Thread] {
        &self.readers
    }

    /// Whether `pthread_rwlock_rdlock` by this thread would return now.
    #[must_use]
    pub fn would_read(&self, thread: Thread) -> bool {
        self.writer.is_none_or(|writer| writer == thread)
    }

    /// Whether `pthread_rwlock_wrlock` by this thread would return now.
    #[must_use]
    pub fn would_write(&self, thread: Thread) -> bool {
        self.readers.is_empty() && self.would_read(thread)
    }

    /// Performs `pthread_rwlock_rdlock`, or `tryrdlock` where the lock would not return.
    ///
    /// # Errors
    /// [`Refusal::WouldDeadlock`] or [`Refusal::Busy`].
    pub fn read(&mut self, thread: Thread) -> Result<(), Refusal> {
        match self.writer {
            Some(writer) if writer == thread => Err(Refusal::WouldDeadlock),
            Some(_) => Err(Refusal::Busy),
            None => {
                self.readers.push(thread);
                Ok(())
            }
        }
    }

    /// Performs `pthread_rwlock_wrlock`, or `trywrlock` where the lock would not return.
    ///
    /// # Errors
    /// [`Refusal::WouldDeadlock`] or [`Refusal::Busy`].
    pub fn write(&mut self, thread: Thread) -> Result<(), Refusal> {
        match self.writer {
            Some(writer) if writer == thread => Err(Refusal::WouldDeadlock),
            Some(_) => Err(Refusal::Busy),
            None if !self.readers.is_empty() => Err(Refusal::Busy),
            None => {
                self.writer = Some(thread);
                Ok(())
            }
        }
    }

    /// Performs `pthread_rwlock_unlock`, and returns how the thread held the lock.
    ///
    /// # Errors
    /// [`Refusal::Undefined`].
    pub fn unlock(&mut self, thread: Thread) -> Result<Held, Refusal> {
        if self.writer == Some(thread) {
            self.writer = None;
            return Ok(Held::ForWriting);
        }
        let at = self.readers.iter().position(|&reader| reader == thread).ok_or(Refusal::Undefined)?;
        self.readers.swap_remove(at);
        Ok(Held::ForReading)
    }

    /// Whether no thread holds the lock.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.writer.is_none() && self.readers.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Call {
        Read,
        Write,
        Unlock,
    }

    /// POSIX in other words: how many times each of two threads holds the lock, and for what.
    #[derive(Default)]
    struct Holds {
        reads: [u32; 2],
        writes: [u32; 2],
    }

    impl Holds {
        fn expected(&mut self, call: Call, me: usize) -> Result<(), Refusal> {
            let other = 1 - me;
            match call {
                Call::Unlock if self.writes[me] > 0 => self.writes[me] = 0,
                Call::Unlock if self.reads[me] > 0 => self.reads[me] -= 1,
                Call::Unlock => return Err(Refusal::Undefined),
                _ if self.writes[me] > 0 => return Err(Refusal::WouldDeadlock),
                _ if self.writes[other] > 0 => return Err(Refusal::Busy),
                Call::Write if self.reads != [0, 0] => return Err(Refusal::Busy),
                Call::Read => self.reads[me] += 1,
                Call::Write => self.writes[me] = 1,
            }
            Ok(())
        }
    }

    #[test]
    fn all_sequences_of_six_calls_of_two_threads_follow_posix() {
        let calls: Vec<(Call, usize)> =
            [0, 1].into_iter().flat_map(|me| [Call::Read, Call::Write, Call::Unlock].map(|call| (call, me))).collect();
        for sequence in 0..calls.len().pow(6) {
            let (mut lock, mut holds, mut rest) = (ReadWriteLock::default(), Holds::default(), sequence);
            for _ in 0..6 {
                let (call, me) = calls[rest % calls.len()];
                rest /= calls.len();
                let thread = Thread::from_index(me);
                let (reads, writes) = (lock.would_read(thread), lock.would_write(thread));
                let expected = holds.expected(call, me);
                let got = match call {
                    Call::Read => lock.read(thread),
                    Call::Write => lock.write(thread),
                    Call::Unlock => lock.unlock(thread).map(|_| ()),
                };
                assert_eq!(got, expected, "{call:?} by {me} in sequence {sequence}");
                match call {
                    Call::Read => assert_eq!(reads, expected != Err(Refusal::Busy)),
                    Call::Write => assert_eq!(writes, expected != Err(Refusal::Busy)),
                    Call::Unlock => {}
                }
                assert_eq!(lock.is_free(), holds.reads == [0, 0] && holds.writes == [0, 0]);
            }
        }
    }
}
