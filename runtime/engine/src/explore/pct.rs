//! Probabilistic concurrency testing: random priorities, lowered at a few random points.
//!
//! Source: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of
//! Finding Bugs", ASPLOS 2010.
//!
//! The guarantee: a bug of depth d (d orderings between events are enough to bring it about) in a program of n threads
//! and k events is found by one execution with a probability of at least 1 / (n · kᵈ⁻¹). The paper's k and d are
//! inputs; here d is one, and k is the length of the longest of the executions before it, of the first hundred at most
//! ([`Pct::LESSONS`]), and at least what was given at first. The guarantee therefore covers neither the first execution of
//! a program of unknown length, nor executions that are longer than k: for any of those after the first hundred this has
//! a probability of at most 1 in 101 if all are drawn alike.
//!
//! Deviations from the paper:
//! 1. The number of threads need not be known: a thread gets its priority, any 64-bit number, when it is first seen.
//! 2. A thread that yields gets the lowest priority of all; the paper knows no yields, and a thread that waits by
//!    yielding would run alone for ever.

use super::sampler::{Draw, Random};
use super::{Corrupt, Previous};
use crate::event::Thread;
use crate::per_thread::PerThread;
use crate::thread_set::ThreadSet;

/// What a thread is worth: those of a later kind give way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Priority {
    /// It has yielded, for the so-manieth time from the end.
    Yielded(u64),
    /// A change point has lowered it.
    Lowered(u64),
    /// As it was drawn.
    Drawn(u64),
}

/// Draws the thread of the highest priority.
#[derive(Debug)]
pub struct Pct {
    depth: u32,
    /// How many events an execution has.
    events: u32,
    priorities: PerThread<Option<Priority>>,
    /// The events before which the thread that would perform them is lowered, and to what; the last one first.
    points: Vec<(u32, u64)>,
    yields: u64,
}

impl Pct {
    /// For bugs of this depth, at least 1, in executions of at least so many events.
    #[must_use]
    pub fn new(depth: u32, events: u32) -> Self {
        Self { depth, events: events.max(1), priorities: PerThread::default(), points: Vec::new(), yields: 0 }
    }

    fn highest(&mut self, random: &mut Random, threads: &ThreadSet) -> Thread {
        for thread in threads.iter() {
            self.priorities[thread].get_or_insert_with(|| Priority::Drawn(random.any()));
        }
        threads.iter().max_by_key(|&thread| self.priorities[thread]).expect("there is a thread")
    }
}

impl Draw for Pct {
    /// Enough to see how long a program is, few enough not to wait for where others could run, too.
    const LESSONS: u64 = 100;

    fn begin(&mut self, random: &mut Random) {
        self.priorities = PerThread::default();
        self.yields = 0;
        self.points.clear();
        for priority in 1..self.depth {
            let point = random.below(self.events.into());
            self.points.push((u32::try_from(point).expect("below a number of events"), priority.into()));
        }
        // In no order but theirs: which of two points lowers further is as random as where they are.
        self.points.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn draw(&mut self, random: &mut Random, event: u32, previous: Previous, threads: &ThreadSet) -> Thread {
        if let Previous::Stopped(thread) = previous
            && threads.contains(thread)
        {
            self.yields += 1;
            self.priorities[thread] = Some(Priority::Yielded(u64::MAX - self.yields));
        }
        let mut thread = self.highest(random, threads);
        while let Some((_, priority)) = self.points.pop_if(|&mut (point, _)| point <= event) {
            self.priorities[thread] = Some(Priority::Lowered(priority));
            thread = self.highest(random, threads);
        }
        thread
    }

    fn learn(&mut self, events: u32) {
        self.events = self.events.max(events);
    }

    fn learned(&self) -> Vec<u64> {
        vec![self.events.into()]
    }

    fn recall(&mut self, learned: &[u64]) -> Result<(), Corrupt> {
        let &[events] = learned else { return Err(Corrupt) };
        self.events = u32::try_from(events).ok().filter(|&events| events > 0).ok_or(Corrupt)?;
        Ok(())
    }
}
