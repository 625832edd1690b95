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

/// The priority of a thread: one of a later kind is higher.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Priority {
    /// The thread has yielded; each yield gets a lower number than the one before.
    Yielded(u64),
    /// The thread was lowered at a change point.
    Lowered(u64),
    /// The thread has the priority that was drawn for it.
    Drawn(u64),
}

/// The scheduler of probabilistic concurrency testing: it draws the thread with the highest priority.
#[derive(Debug)]
pub struct Pct {
    depth: u32,
    /// The number of events that an execution is taken to have: the paper's k.
    events: u32,
    priorities: PerThread<Option<Priority>>,
    /// The change points, the last one first: each is an event, and the priority that the thread which would perform it is
    /// lowered to.
    points: Vec<(u32, u64)>,
    yields: u64,
}

impl Pct {
    /// Makes a scheduler for bugs of this depth, at least 1, in executions of at least `events` events.
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
    /// Executions that are enough to see how long a program is, and few enough not to keep others waiting that could run.
    const LESSONS: u64 = 100;

    fn begin(&mut self, random: &mut Random) {
        self.priorities = PerThread::default();
        self.yields = 0;
        self.points.clear();
        for priority in 1..self.depth {
            let point = random.below(self.events.into());
            self.points.push((u32::try_from(point).expect("below a number of events"), priority.into()));
        }
        // The points are ordered by event and priority alone: which of two points lowers further is as random as where they are.
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
