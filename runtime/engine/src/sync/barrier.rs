//! The state of a `pthread_barrier_t`.
//!
//! POSIX leaves open which thread of a round is told `PTHREAD_BARRIER_SERIAL_THREAD`; here it is the last to arrive.
//! That loses nothing: until the round is complete nobody can tell that a thread has arrived, so each execution has
//! another one that differs from it only in that a given thread arrives last.

use crate::event::Thread;
use crate::thread_set::ThreadSet;

/// The outcome of an arrival at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// The thread is not the last one to arrive: it waits for the rest of its round.
    Waits,
    /// The thread is the last one of its round, which it completes.
    Completes,
}

/// A barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Barrier {
    count: u32,
    arrived: ThreadSet,
    /// The threads of complete rounds that have not gone on yet.
    released: ThreadSet,
    rounds: u32,
}

impl Barrier {
    /// Makes a barrier for `count` threads; none if `count` is 0.
    #[must_use]
    pub const fn new(count: u32) -> Option<Self> {
        if count == 0 {
            return None;
        }
        Some(Self { count, arrived: ThreadSet::EMPTY, released: ThreadSet::EMPTY, rounds: 0 })
    }

    /// Returns how many rounds are complete.
    #[must_use]
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Notes that a thread arrives, and returns whether that completes the round.
    pub const fn arrive(&mut self, thread: Thread) -> Arrival {
        if self.arrived.len() + 1 < self.count {
            self.arrived.insert(thread);
            return Arrival::Waits;
        }
        let mut arrived = self.arrived;
        while let Some(other) = arrived.take_first() {
            self.released.insert(other);
        }
        self.arrived = ThreadSet::EMPTY;
        self.rounds += 1;
        Arrival::Completes
    }

    /// Returns the threads that could go on and have not done so yet.
    #[must_use]
    pub const fn released(&self) -> &ThreadSet {
        &self.released
    }

    /// Whether the thread, which has arrived, could go on.
    #[must_use]
    pub const fn is_released(&self, thread: Thread) -> bool {
        self.released.contains(thread)
    }

    /// Lets the thread go on.
    ///
    /// # Panics
    /// If its round is not complete.
    pub fn leave(&mut self, thread: Thread) {
        assert!(self.is_released(thread), "a thread leaves a barrier when its round is complete");
        self.released.remove(thread);
    }

    /// Returns the threads that wait for the rest of their round.
    #[must_use]
    pub const fn waiting(&self) -> &ThreadSet {
        &self.arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All interleavings of `threads` threads that each cross the barrier so often; how many there are.
    fn interleavings(barrier: Barrier, crossed: &mut [u32], at: &mut [bool], count: u32, times: u32) -> u64 {
        let most = crossed.iter().zip(&*at).map(|(&crossed, &at)| crossed + u32::from(at)).max().unwrap();
        assert!(crossed.iter().all(|&crossed| crossed <= barrier.rounds()), "nobody is through before the round is");
        assert!(most <= barrier.rounds() + 1 || count < crossed.len() as u32);
        let mut found = 0;
        let mut moved = false;
        for index in 0..crossed.len() {
            let thread = Thread::from_index(index);
            let mut next = barrier;
            if at[index] && next.is_released(thread) {
                next.leave(thread);
                (at[index], crossed[index]) = (false, crossed[index] + 1);
                found += interleavings(next, crossed, at, count, times);
                (at[index], crossed[index]) = (true, crossed[index] - 1);
                moved = true;
            } else if !at[index] && crossed[index] < times {
                // The arrivals since the last complete round decide, and nothing else.
                let waiting = (0..at.len()).filter(|&other| at[other] && !next.is_released(Thread::from_index(other)));
                let last = waiting.count() as u32 + 1 == count;
                let arrival = next.arrive(thread);
                assert_eq!(arrival == Arrival::Completes, last);
                if arrival == Arrival::Completes {
                    crossed[index] += 1;
                    found += interleavings(next, crossed, at, count, times);
                    crossed[index] -= 1;
                } else {
                    at[index] = true;
                    found += interleavings(next, crossed, at, count, times);
                    at[index] = false;
                }
                moved = true;
            }
        }
        if !moved {
            let stuck = at.iter().filter(|&&at| at).count();
            assert_eq!(stuck as u32, (crossed.len() as u32 * times) % count, "whoever is left over waits");
        }
        found + u64::from(!moved)
    }

    #[test]
    fn in_all_interleavings_nobody_passes_before_all_of_the_round_have_arrived() {
        let run = |threads: usize, count, times| {
            let barrier = Barrier::new(count).unwrap();
            interleavings(barrier, &mut vec![0; threads], &mut vec![false; threads], count, times)
        };
        // Two orders of arrival; then the leaver's event among the other's next arrival, or alone.
        assert_eq!(run(2, 2, 1), 2);
        // Three arrive in 6 orders, and two of them leave in 2.
        assert_eq!(run(3, 3, 1), 12);
        // In the second round the one that left at once may arrive before the other leaves: 2 (2 + 1) orders.
        assert_eq!(run(2, 2, 2), 6);
        assert!(run(3, 2, 1) > 0);
        assert_eq!(Barrier::new(0), None);
    }
}
