//! Random search: execution after execution, each drawn by its own numbers, without end.
//!
//! What the samplers have in common: execution i of a seed depends on the seed, on i, and on nothing that a budget
//! changes, so the same seed gives the same executions. How a thread is drawn is a [`Draw`], one file each.

use super::generator::Generator;
use super::{Counts, Diverged, Finish, Performed, Previous, Start, Strategy};
use crate::event::Thread;
use crate::thread_set::ThreadSet;

/// How the next thread is drawn.
pub trait Draw {
    /// An execution begins; `longest` is the most events that one of those before it had, or 0.
    fn begin(&mut self, random: &mut Random, longest: u32);

    /// Which of the threads performs the event with this index? There is at least one, and `previous`, if it goes on,
    /// is one of them.
    fn draw(&mut self, random: &mut Random, event: u32, previous: Previous, threads: &ThreadSet) -> Thread;

    /// Whether it wants to be told of every event.
    fn observes(&self) -> bool {
        false
    }

    /// An event has been performed; called only where it observes.
    fn performed(&mut self, _event: &Performed<'_>) {}

    /// An execution has ended that is not run again.
    fn end(&mut self) {}
}

/// The numbers of one execution.
#[derive(Debug, Default)]
pub struct Random(Generator);

impl Random {
    /// Any number.
    pub const fn any(&mut self) -> u64 {
        self.0.next()
    }

    /// A number below `count`, which is at least 1; all are equally likely.
    pub const fn below(&mut self, count: u64) -> u64 {
        self.0.below(count)
    }
}

/// An explorer that draws executions.
#[derive(Debug)]
pub struct Sampler<D> {
    draw: D,
    seed: u64,
    random: Random,
    execution: u64,
    /// The index of the last event that was asked for, plus 1.
    length: u32,
    longest: u32,
}

impl<D: Draw> Sampler<D> {
    /// The executions of this seed.
    pub fn new(seed: u64, draw: D) -> Self {
        Self { draw, seed, random: Random::default(), execution: 0, length: 0, longest: 0 }
    }
}

impl<D: Draw> Strategy for Sampler<D> {
    fn begin(&mut self) -> Option<Start> {
        self.random = Random(Generator::new(self.seed, self.execution));
        self.length = 0;
        self.draw.begin(&mut self.random, self.longest);
        Some(Start { shared: 0, preemptions: None, counts: Counts::Once })
    }

    fn thread(&mut self, event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Diverged> {
        let mut threads = *enabled;
        if let Previous::Continues(thread) = previous {
            threads.insert(thread);
        }
        self.length = event + 1;
        Ok(self.draw.draw(&mut self.random, event, previous, &threads))
    }

    fn undecided(&mut self, event: u32, only: Option<Thread>) -> Result<(), Diverged> {
        if let Some(thread) = only {
            let mut threads = ThreadSet::EMPTY;
            threads.insert(thread);
            self.length = event + 1;
            self.draw.draw(&mut self.random, event, Previous::Continues(thread), &threads);
        }
        Ok(())
    }

    fn value(&mut self, _event: u32, count: u64) -> Result<u64, Diverged> {
        Ok(self.random.below(count))
    }

    fn waited(&mut self, _event: u32) {}

    fn observes(&self) -> bool {
        self.draw.observes()
    }

    fn performed(&mut self, event: &Performed<'_>) {
        self.draw.performed(event);
    }

    fn finish(&mut self, finish: Finish) {
        if finish == Finish::Done {
            self.execution += 1;
            self.longest = self.longest.max(self.length);
            self.draw.end();
        }
    }
}
