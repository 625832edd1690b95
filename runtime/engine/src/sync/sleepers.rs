//! Threads that sleep until another one wakes them: the state of a condition variable (`pthread_cond_wait` and its
//! sisters), and of the queue of a futex.
//!
//! A thread falls asleep; another one wakes it, or it gives up by itself (its time is over, it is cancelled, it wakes
//! for no reason); it leaves. Between waking and leaving it waits for the mutex. There is no order among the sleepers:
//! POSIX leaves it open which of them a signal wakes, so every one is tried.

use crate::event::{Object, Thread};
use crate::thread_set::ThreadSet;

/// The refusal to let a thread fall asleep because others sleep on this condition variable with another mutex, which is
/// undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherMutex;

/// The threads that sleep, and those that are awake again and have not left yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sleepers {
    asleep: ThreadSet,
    woken: ThreadSet,
    /// The mutex that the sleeping threads have released, if one belongs to the sleep.
    mutex: Option<Object>,
}

impl Sleepers {
    /// Lets the thread fall asleep. On a condition variable, `mutex` is the one that it has held.
    ///
    /// # Errors
    /// [`OtherMutex`], if others sleep with another mutex.
    pub fn sleep(&mut self, thread: Thread, mutex: Option<Object>) -> Result<(), OtherMutex> {
        if !self.asleep.is_empty() && self.mutex != mutex {
            return Err(OtherMutex);
        }
        self.mutex = mutex;
        self.asleep.insert(thread);
        Ok(())
    }

    /// Returns the threads that sleep.
    #[must_use]
    pub const fn asleep(&self) -> &ThreadSet {
        &self.asleep
    }

    /// Returns the threads that were woken and have not left.
    #[must_use]
    pub const fn woken(&self) -> &ThreadSet {
        &self.woken
    }

    /// Whether the thread was woken and has not left.
    #[must_use]
    pub const fn is_woken(&self, thread: Thread) -> bool {
        self.woken.contains(thread)
    }

    /// Wakes a thread that sleeps.
    ///
    /// # Panics
    /// If it does not sleep.
    pub fn wake(&mut self, thread: Thread) {
        assert!(self.asleep.contains(thread), "only a thread that sleeps is woken");
        self.asleep.remove(thread);
        self.woken.insert(thread);
    }

    /// Lets the thread leave, which was woken or gives up its sleep.
    pub const fn leave(&mut self, thread: Thread) {
        self.asleep.remove(thread);
        self.woken.remove(thread);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREADS: u8 = 3;
    const M: Option<Object> = Some(Object(0));
    const N: Option<Object> = Some(Object(1));

    /// Each thread is awake, asleep with one of two mutexes, or woken.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    enum State {
        Awake,
        Asleep(Option<Object>),
        Woken,
    }

    /// Visits every state that sequences of so many calls lead to, and compares both models after each call.
    fn visit(sleepers: Sleepers, states: [State; THREADS as usize], calls: u32, visited: &mut u32) {
        *visited += 1;
        for (index, &state) in states.iter().enumerate() {
            let thread = Thread::from_index(index);
            assert_eq!(sleepers.asleep().contains(thread), matches!(state, State::Asleep(_)));
            assert_eq!(sleepers.is_woken(thread), state == State::Woken);
        }
        if calls == 0 {
            return;
        }
        for (index, &state) in states.iter().enumerate() {
            let thread = Thread::from_index(index);
            let mut step = |change: &mut dyn FnMut(&mut Sleepers) -> State| {
                let (mut sleepers, mut states) = (sleepers, states);
                states[index] = change(&mut sleepers);
                visit(sleepers, states, calls - 1, visited);
            };
            match state {
                State::Awake => {
                    for mutex in [M, N, None] {
                        let other = states.iter().any(|&state| matches!(state, State::Asleep(with) if with != mutex));
                        step(&mut |sleepers| {
                            assert_eq!(sleepers.sleep(thread, mutex).is_err(), other);
                            if other { State::Awake } else { State::Asleep(mutex) }
                        });
                    }
                }
                State::Asleep(_) => {
                    step(&mut |sleepers| {
                        sleepers.wake(thread);
                        State::Woken
                    });
                    step(&mut |sleepers| {
                        sleepers.leave(thread);
                        State::Awake
                    });
                }
                State::Woken => step(&mut |sleepers| {
                    sleepers.leave(thread);
                    State::Awake
                }),
            }
        }
    }

    #[test]
    fn all_sequences_of_six_calls_of_three_threads_follow_the_states_of_each_thread() {
        let mut visited = 0;
        visit(Sleepers::default(), [State::Awake; THREADS as usize], 6, &mut visited);
        assert!(visited > 50_000, "{visited}");
    }
}
