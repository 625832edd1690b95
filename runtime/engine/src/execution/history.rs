//! The history of an execution: its events and choices, and whether it counts.

use crate::explore::{Counting, Counts, Diverged, Start};
use crate::step::{Iteration, Step};

/// The events of an execution so far, compared with those of the one before as far as the two must be the same.
#[derive(Debug)]
pub struct History {
    /// The events of this execution, and behind them what is left of the last one.
    steps: Vec<Step>,
    length: u32,
    /// The events before this index must be those of the last execution.
    shared: u32,
    diverged: Option<u32>,
    choices: Vec<u64>,
    /// The indices of the events before which their threads had yielded, ascending.
    yielded: Vec<u32>,
    counts: Counts,
    /// Whether the strategy has ended the execution although threads could go on, so that it is the beginning of others.
    pub is_cut: bool,
    counting: Counting,
    preemptions: Option<u32>,
}

impl History {
    pub(super) const fn new() -> Self {
        Self {
            steps: Vec::new(),
            length: 0,
            shared: 0,
            diverged: None,
            choices: Vec::new(),
            yielded: Vec::new(),
            counts: Counts::Once,
            is_cut: false,
            counting: Counting::Representatives,
            preemptions: None,
        }
    }

    /// Begins a new execution.
    pub(super) fn begin(&mut self, start: Start) {
        self.shared = start.shared.min(self.length);
        self.length = 0;
        self.diverged = None;
        self.choices.clear();
        self.yielded.clear();
        self.is_cut = false;
        (self.counts, self.counting, self.preemptions) = (start.counts, start.counting, start.preemptions);
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// [`Diverged`], if the execution before did something else here.
    #[inline(always)]
    pub(super) fn take(&mut self, step: Step) -> Result<(), Diverged> {
        let repeats = self.repeats();
        match self.steps.get_mut(self.length as usize) {
            Some(before) if repeats => {
                if *before != step {
                    self.diverged = Some(self.length);
                    return Err(Diverged);
                }
            }
            Some(old) => *old = step,
            None => self.steps.push(step),
        }
        self.length += 1;
        Ok(())
    }

    /// Notes that the program got this value.
    pub(super) fn take_choice(&mut self, value: u64) {
        self.choices.push(value);
    }

    /// Notes that the thread of the next event had yielded before it.
    #[inline]
    pub(super) fn take_yield(&mut self) {
        self.yielded.push(self.length);
    }

    /// Whether the thread of this event had yielded before it.
    #[inline]
    pub(super) fn has_yielded(&self, event: u32) -> bool {
        self.yielded.binary_search(&event).is_ok()
    }

    /// Notes that the execution does not go on as the one before did.
    pub(super) const fn diverge(&mut self) {
        self.diverged = Some(self.length);
    }

    /// Returns the events so far.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps[..self.length as usize]
    }

    /// Returns the number of events so far, which is the index of the next one.
    #[inline]
    #[must_use]
    pub const fn length(&self) -> u32 {
        self.length
    }

    /// Returns how many of the first events are those of the execution before.
    #[must_use]
    pub const fn shared(&self) -> u32 {
        self.shared
    }

    /// Whether the next event is one that the execution before had, too.
    #[inline]
    #[must_use]
    pub const fn repeats(&self) -> bool {
        self.length < self.shared
    }

    /// Returns the index of the first event that did not follow the execution before, and what that execution did there.
    #[must_use]
    pub fn divergence(&self) -> Option<(u32, Option<Step>)> {
        let index = self.diverged?;
        Some((index, self.steps.get(index as usize).copied()))
    }

    /// Returns the values that [`super::Execution::choose_value`] gave where there was more than one.
    #[must_use]
    pub fn choices(&self) -> &[u64] {
        &self.choices
    }

    /// Notes that another execution stands for this one, which then does not count, unless every run does.
    pub fn repeats_another(&mut self) {
        if self.counting == Counting::Representatives {
            self.counts = Counts::AsAnother;
        }
    }

    /// Sets whether the execution counts, as the explorer says.
    pub(super) const fn judge(&mut self, counts: Counts) {
        self.counts = counts;
    }

    /// Returns whether the execution counts.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns how many preemptions the execution has, where they are bounded.
    #[must_use]
    pub const fn preemptions(&self) -> Option<u32> {
        self.preemptions
    }

    /// Whether these iterations, after which threads wait for ever, are the last events, each alone, in this order.
    pub(super) fn ends_with(&self, iterations: impl Iterator<Item = Iteration> + Clone) -> bool {
        let mut next = self.length - iterations.clone().map(|iteration| iteration.events).sum::<u32>();
        iterations.into_iter().all(|Iteration { first, last, events }| {
            let stands = first == next && last - first + 1 == events;
            next += events;
            stands
        })
    }
}
