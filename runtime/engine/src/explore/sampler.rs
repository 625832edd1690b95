//! Random search: execution after execution, each drawn by its own numbers, without end.
//!
//! What the samplers have in common: execution i of a seed depends on the seed, on i, and on nothing that a budget
//! changes, so the same seed gives the same executions. How a thread is drawn is a [`Draw`], one file each.

use std::collections::VecDeque;
use std::ops::Range;

use super::generator::Generator;
use super::packed::{Reader, write};
use super::slice::{Leftover, Unit};
use super::{Corrupt, Counts, Diverged, Finish, Performed, Previous, Start, Strategy};
use crate::event::Thread;
use crate::execution::Step;
use crate::thread_set::ThreadSet;

/// What is left of a slice is handed out in so many parts as long as the slice, and the rest.
const PARTS: u64 = 64;

/// How the next thread is drawn.
pub trait Draw {
    /// An execution begins; `longest` is the most events that one of those before it had, or 0.
    fn begin(&mut self, random: &mut Random, longest: u32);

    /// Which of the threads performs the event with this index? There is at least one, and `previous`, if it goes on,
    /// is one of them.
    fn draw(&mut self, random: &mut Random, event: u32, previous: Previous, threads: &ThreadSet) -> Thread;

    /// Whether what it draws in an execution depends on those before it.
    fn learns(&self) -> bool {
        true
    }

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
    /// Where this slice began, in executions.
    first: u64,
    /// The executions still to be run behind this one.
    ahead: VecDeque<Range<u64>>,
    /// The index of the last event that was asked for, plus 1.
    length: u32,
    longest: u32,
}

impl<D: Draw> Sampler<D> {
    /// The executions of this seed.
    pub fn new(seed: u64, draw: D) -> Self {
        Self::of(seed, draw, std::iter::once(0..u64::MAX).collect())
    }

    fn of(seed: u64, draw: D, ahead: VecDeque<Range<u64>>) -> Self {
        let first = ahead.front().map_or(0, |range| range.start);
        Self { draw, seed, random: Random::default(), execution: first, first, ahead, length: 0, longest: 0 }
    }

    /// The executions of these units and no others.
    ///
    /// # Errors
    /// [`Corrupt`], also where executions depend on those before them.
    pub fn slice(seed: u64, draw: D, units: &[Unit]) -> Result<Self, Corrupt> {
        let range = |unit: &Unit| {
            let mut reader = Reader::new(&unit.prefixes);
            let range = reader.number()?..reader.number()?;
            if range.is_empty() || reader.left() > 0 || draw.learns() { Err(Corrupt) } else { Ok(range) }
        };
        let ahead = units.iter().map(range).collect::<Result<_, Corrupt>>()?;
        Ok(Self::of(seed, draw, ahead))
    }
}

impl<D: Draw> Strategy for Sampler<D> {
    fn begin(&mut self) -> Option<Start> {
        self.execution = self.ahead.front()?.start;
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
            if let Some(range) = self.ahead.front_mut() {
                range.start += 1;
                if range.is_empty() {
                    self.ahead.pop_front();
                }
            }
            self.longest = self.longest.max(self.length);
            self.draw.end();
        }
    }

    fn leave(&mut self, _steps: &[Step]) -> Option<Leftover> {
        if self.draw.learns() {
            return None;
        }
        let part = (self.execution - self.first).max(1);
        let mut now = Vec::new();
        for Range { mut start, end } in self.ahead.drain(..) {
            // Only what has no end is too much for one.
            let parts = if end == u64::MAX { PARTS } else { 0 };
            for _ in 0..parts {
                now.push(unit(start..start + part));
                start += part;
            }
            now.push(unit(start..end));
        }
        Some(Leftover { now, next: Vec::new() })
    }
}

/// Executions without end have no weight.
fn unit(range: Range<u64>) -> Unit {
    let mut prefixes = Vec::new();
    write(&mut prefixes, range.start);
    write(&mut prefixes, range.end);
    Unit { weight: 0.0, prefixes }
}
