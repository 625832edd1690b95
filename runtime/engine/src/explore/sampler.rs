//! Random search: execution after execution, each drawn by its own numbers, without end.
//!
//! What the samplers have in common: execution i of a seed depends on the seed, on i, and on nothing that a budget or the
//! number of processes changes, so the same seed gives the same executions. How a thread is drawn is a [`Draw`], one file
//! each. A sampler that learns from executions learns from the first few alone ([`Draw::LESSONS`]), one after another;
//! what they teach goes with every unit of those that come after them.

use std::collections::VecDeque;
use std::ops::Range;

use super::generator::Generator;
use super::packed::{Reader, write};
use super::slice::{Leftover, Unit};
use super::{
    Corrupt, Counting, Counts, Diverged, Finish, Halt, Notice, Observer, Performed, Previous, Start, Strategy,
};
use crate::event::Thread;
use crate::step::Step;
use crate::thread_set::ThreadSet;

/// The number of parts, each as long as the slice, in which what is left of a slice is handed out, besides the rest.
const PARTS: u64 = 64;

/// A way of drawing the next thread.
pub trait Draw {
    /// The number of first executions of a seed that are learned from: the others are drawn by what these teach.
    const LESSONS: u64 = 0;

    /// Begins an execution.
    fn begin(&mut self, random: &mut Random);

    /// Returns the thread that performs the event with this index. `threads` has at least one member, and `previous` is among
    /// them if it goes on.
    fn draw(&mut self, random: &mut Random, event: u32, previous: Previous, threads: &ThreadSet) -> Thread;

    /// Whether `performed` is to be called with every event.
    fn observes(&self) -> bool {
        false
    }

    /// Notes that an event has been performed; called only if [`Draw::observes`].
    fn performed(&mut self, _event: &Performed<'_>) {}

    /// Notes something else that has happened; called only if [`Draw::observes`].
    fn notice(&mut self, _notice: Notice) {}

    /// Notes that one of so many values was drawn.
    fn chosen(&mut self, _count: u64) {}

    /// Returns what [`Strategy::stands_for`] does.
    fn stands_for(&self) -> Option<f64> {
        None
    }

    /// Learns from an execution that has ended and is not run again: it had `events` events. Called for those that are learned
    /// from.
    fn learn(&mut self, _events: u32) {}

    /// Returns what has been learned.
    fn learned(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Takes over what another process has learned.
    ///
    /// # Errors
    /// [`Corrupt`], if no process can have learned that.
    fn recall(&mut self, learned: &[u64]) -> Result<(), Corrupt> {
        if learned.is_empty() { Ok(()) } else { Err(Corrupt) }
    }
}

/// The random numbers of one execution.
#[derive(Debug, Default)]
pub struct Random(Generator);

impl Random {
    /// Returns any number; all are equally likely.
    pub const fn any(&mut self) -> u64 {
        self.0.next()
    }

    /// Returns a number below `count`, which is at least 1; all are equally likely.
    pub const fn below(&mut self, count: u64) -> u64 {
        self.0.below(count)
    }

    /// Returns one of several choices, each as likely as its weight says; the weights add up to at least 1.
    pub(super) fn weighted<T>(&mut self, choices: impl Iterator<Item = (T, u64)> + Clone) -> T {
        self.0.weighted(choices)
    }
}

/// An explorer that draws executions.
#[derive(Debug)]
pub struct Sampler<D> {
    draw: D,
    seed: u64,
    random: Random,
    execution: u64,
    /// The number of the execution at which this slice began.
    first: u64,
    /// The numbers of the executions still to be run, the present one at the front.
    ahead: VecDeque<Range<u64>>,
    /// The index of the last event that was asked for, plus 1.
    length: u32,
}

impl<D: Draw> Sampler<D> {
    /// Makes the explorer of all executions of this seed.
    pub fn new(seed: u64, draw: D) -> Self {
        Self::of(seed, draw, std::iter::once(0..u64::MAX).collect())
    }

    fn of(seed: u64, draw: D, ahead: VecDeque<Range<u64>>) -> Self {
        let first = ahead.front().map_or(0, |range| range.start);
        Self { draw, seed, random: Random::default(), execution: first, first, ahead, length: 0 }
    }

    /// Makes the explorer of the executions of these units and no others.
    ///
    /// # Errors
    /// [`Corrupt`], if the units are not such as [`Strategy::leave`] hands out, or differ in what was learned.
    pub fn slice(seed: u64, mut draw: D, units: &[Unit]) -> Result<Self, Corrupt> {
        let units = units.iter().map(read).collect::<Result<Vec<_>, Corrupt>>()?;
        let (_, learned) = units.first().ok_or(Corrupt)?;
        draw.recall(learned)?;
        if units.iter().any(|(_, other)| other != learned) {
            return Err(Corrupt);
        }
        Ok(Self::of(seed, draw, units.into_iter().map(|(range, _)| range).collect()))
    }
}

impl<D: Draw> Observer for Sampler<D> {
    fn observes(&self) -> bool {
        self.draw.observes()
    }

    fn performed(&mut self, event: &Performed<'_>) {
        self.draw.performed(event);
    }

    fn notice(&mut self, notice: Notice) {
        self.draw.notice(notice);
    }
}

impl<D: Draw> Strategy for Sampler<D> {
    fn begin(&mut self) -> Option<Start> {
        self.execution = self.ahead.front()?.start;
        self.random = Random(Generator::new(self.seed, self.execution));
        self.length = 0;
        self.draw.begin(&mut self.random);
        Some(Start { shared: 0, preemptions: None, counts: Counts::Once, counting: Counting::EveryRun })
    }

    fn thread(&mut self, event: u32, previous: Previous, enabled: &ThreadSet) -> Result<Thread, Halt> {
        let mut threads = *enabled;
        if let Previous::Continues(thread) = previous {
            threads.insert(thread);
        }
        self.length = event + 1;
        Ok(self.draw.draw(&mut self.random, event, previous, &threads))
    }

    fn undecided(&mut self, event: u32, only: Option<Thread>) -> Result<(), Halt> {
        if let Some(thread) = only {
            let mut threads = ThreadSet::EMPTY;
            threads.insert(thread);
            self.length = event + 1;
            self.draw.draw(&mut self.random, event, Previous::Continues(thread), &threads);
        }
        Ok(())
    }

    fn value(&mut self, _event: u32, count: u64) -> Result<u64, Diverged> {
        self.draw.chosen(count);
        Ok(self.random.below(count))
    }

    fn stands_for(&self) -> Option<f64> {
        self.draw.stands_for()
    }

    fn finish(&mut self, finish: Finish) {
        if finish == Finish::Again {
            return;
        }
        if self.execution < D::LESSONS {
            self.draw.learn(self.length);
        }
        if let Some(range) = self.ahead.front_mut() {
            range.start += 1;
            if range.is_empty() {
                self.ahead.pop_front();
            }
        }
    }

    fn leave(&mut self, _steps: &[Step]) -> Option<Leftover> {
        let learned = self.draw.learned();
        let part = (self.execution - self.first).max(1);
        let mut now = Vec::new();
        for Range { mut start, end } in self.ahead.drain(..) {
            // Only a range without end is too much for one process, and executions that are learned from are run one after
            // another.
            let parts = if end == u64::MAX && start >= D::LESSONS { PARTS } else { 0 };
            for _ in 0..parts {
                now.push(unit(&(start..start + part), &learned));
                start += part;
            }
            now.push(unit(&(start..end), &learned));
        }
        Some(Leftover { now, next: Vec::new() })
    }
}

/// Packs a range of executions as a unit. Executions without end have no weight.
fn unit(range: &Range<u64>, learned: &[u64]) -> Unit {
    let mut prefixes = Vec::new();
    let numbers = [range.start, range.end, learned.len() as u64];
    numbers.iter().chain(learned).for_each(|&number| write(&mut prefixes, number));
    Unit { weight: 0.0, prefixes }
}

fn read(unit: &Unit) -> Result<(Range<u64>, Vec<u64>), Corrupt> {
    let mut reader = Reader::new(&unit.prefixes);
    let range = reader.number()?..reader.number()?;
    let learned = (0..reader.count()?).map(|_| reader.number()).collect::<Result<_, Corrupt>>()?;
    if range.is_empty() || reader.left() > 0 { Err(Corrupt) } else { Ok((range, learned)) }
}
