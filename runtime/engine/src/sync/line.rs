//! A condition variable that leaves open whom a signal wakes until somebody takes the signal: any of the threads that slept when
//! it came. [`super::sleepers`] has to be told at once; this one serves where an operation yields a single state.
//!
//! Sleepers and signals stand in a line, in the order in which they came. Before any place in it there are as many
//! sleepers as signals or more, so each signal can have a sleeper of its own; and whoever has a signal behind it can take
//! the first such one without the rest losing theirs.

use crate::event::Thread;

/// An entry of the line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Waiter {
    Sleeper(Thread),
    Signal,
}

/// The refusal to let a thread fall asleep because others sleep on this condition variable with another mutex, which is
/// undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherMutex;

/// The way in which a sleep ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The thread was woken.
    Woken,
    /// The thread was not woken, and left.
    Left,
}

/// The threads that sleep, and the signals that they have not taken.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Line {
    entries: Vec<Waiter>,
    /// The threads that a broadcast has woken and that have not left, ascending.
    woken: Vec<Thread>,
    /// The address of the mutex that the sleeping threads have released.
    mutex: usize,
}

impl Line {
    /// Adds the thread, which falls asleep with the mutex at this address, to the line.
    ///
    /// # Errors
    /// [`OtherMutex`], if others sleep with another mutex.
    pub fn sleep(&mut self, thread: Thread, mutex: usize) -> Result<(), OtherMutex> {
        if !self.entries.is_empty() && self.mutex != mutex {
            return Err(OtherMutex);
        }
        self.mutex = mutex;
        self.entries.push(Waiter::Sleeper(thread));
        Ok(())
    }

    /// Wakes one of the sleeping threads, if there are any.
    pub fn signal(&mut self) {
        self.signals(1);
    }

    /// Returns the number of threads that sleep and for whom there is no signal.
    #[must_use]
    pub fn asleep(&self) -> usize {
        let signals = self.entries.iter().filter(|&&entry| entry == Waiter::Signal).count();
        self.entries.len() - 2 * signals
    }

    /// Wakes as many of the sleeping threads, or all if there are no more, and returns how many.
    pub fn signals(&mut self, most: usize) -> usize {
        let woken = most.min(self.asleep());
        self.entries.extend(std::iter::repeat_n(Waiter::Signal, woken));
        woken
    }

    /// Wakes all threads that sleep.
    pub fn broadcast(&mut self) {
        for entry in self.entries.drain(..) {
            if let Waiter::Sleeper(thread) = entry {
                self.woken.push(thread);
            }
        }
        self.woken.sort_unstable();
    }

    fn place(&self, thread: Thread) -> Option<usize> {
        self.entries.iter().position(|&entry| entry == Waiter::Sleeper(thread))
    }

    /// Returns the place of the first signal that the thread can take.
    fn signal_for(&self, thread: Thread) -> Option<usize> {
        let place = self.place(thread)?;
        let behind = self.entries[place..].iter().position(|&entry| entry == Waiter::Signal);
        behind.map(|distance| place + distance)
    }

    /// Whether the thread can wake.
    #[must_use]
    pub fn can_wake(&self, thread: Thread) -> bool {
        self.woken.contains(&thread) || self.signal_for(thread).is_some()
    }

    /// Ends the thread's sleep: the thread wakes if it can, and gives up its sleep if not. Nothing is lost by that: if another
    /// thread is to have the signal, it can take it first.
    pub fn leave(&mut self, thread: Thread) -> End {
        if let Some(place) = self.woken.iter().position(|&other| other == thread) {
            self.woken.remove(place);
            return End::Woken;
        }
        let signal = self.signal_for(thread);
        if let Some(signal) = signal {
            self.entries.remove(signal);
        }
        if let Some(place) = self.place(thread) {
            self.entries.remove(place);
        }
        if signal.is_some() { End::Woken } else { End::Left }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sleepers::Sleepers;
    use super::{End, Line};
    use crate::event::Thread;

    const THREADS: usize = 3;

    /// The states that a condition variable may be in that chooses at once whom a signal wakes.
    type States = Vec<Sleepers>;

    fn each(states: &States, step: impl Fn(&Sleepers) -> Vec<Sleepers>) -> States {
        let mut next: States = Vec::new();
        for state in states.iter().flat_map(step) {
            if !next.contains(&state) {
                next.push(state);
            }
        }
        next
    }

    fn wakes(sleepers: &Sleepers, who: &[Thread]) -> Sleepers {
        let mut sleepers = *sleepers;
        who.iter().for_each(|&thread| sleepers.wake(thread));
        sleepers
    }

    fn asleep(sleepers: &Sleepers) -> Vec<Thread> {
        (0..THREADS).map(Thread::from_index).filter(|&thread| sleepers.asleep().contains(thread)).collect()
    }

    fn without(sleepers: &Sleepers, thread: Thread) -> Sleepers {
        let mut sleepers = *sleepers;
        sleepers.leave(thread);
        sleepers
    }

    /// Visits all sequences of so many calls: a thread can wake here if it can in one of the states.
    fn visit(line: &Line, states: &States, calls: u32, visited: &mut u32) {
        *visited += 1;
        assert!(!states.is_empty());
        if calls == 0 {
            return;
        }
        let mut go = |line: Line, states: States| visit(&line, &states, calls - 1, visited);
        let mut signalled = line.clone();
        signalled.signal();
        let one = |state: &Sleepers| {
            let asleep = asleep(state);
            if asleep.is_empty() { vec![*state] } else { asleep.iter().map(|&who| wakes(state, &[who])).collect() }
        };
        go(signalled, each(states, one));
        let mut broadcast = line.clone();
        broadcast.broadcast();
        go(broadcast, each(states, |state| vec![wakes(state, &asleep(state))]));
        for thread in (0..THREADS).map(Thread::from_index) {
            let present = |state: &Sleepers| state.asleep().contains(thread) || state.is_woken(thread);
            let mut next = line.clone();
            if !states.iter().any(present) {
                assert_eq!(next.sleep(thread, 1), Ok(()));
                go(
                    next,
                    each(states, |state| {
                        let mut state = *state;
                        state.sleep(thread, None).unwrap();
                        vec![state]
                    }),
                );
                continue;
            }
            let can = states.iter().any(|state| state.is_woken(thread));
            assert_eq!(line.can_wake(thread), can, "{line:?}");
            assert_eq!(next.leave(thread), if can { End::Woken } else { End::Left });
            let among = |state: &&Sleepers| state.is_woken(thread) == can;
            go(next, each(&states.iter().filter(among).copied().collect(), |state| vec![without(state, thread)]));
        }
    }

    #[test]
    fn all_sequences_of_seven_calls_wake_whom_an_early_choice_could_wake() {
        let mut visited = 0;
        visit(&Line::default(), &vec![Sleepers::default()], 7, &mut visited);
        assert!(visited > 50_000, "{visited}");
    }

    #[test]
    fn no_more_are_woken_than_sleep() {
        let mut line = Line::default();
        assert_eq!(line.signals(1), 0);
        for thread in (0..THREADS).map(Thread::from_index) {
            assert_eq!(line.sleep(thread, 0), Ok(()));
        }
        assert_eq!([line.signals(2), line.signals(2), line.signals(2)], [2, 1, 0]);
    }

    #[test]
    fn two_mutexes_are_refused() {
        let mut line = Line::default();
        assert_eq!(line.sleep(Thread::MAIN, 1), Ok(()));
        assert!(line.sleep(Thread::from_index(1), 2).is_err());
    }
}
