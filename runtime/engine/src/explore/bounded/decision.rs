//! A decision of an execution, and the digest of the events before it.

use crate::step::Step;

/// The kind of a decision, and the cost of its alternatives other than choice 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cost {
    /// The decision is which thread goes on, where no thread is preempted.
    Free,
    /// The decision is which thread goes on, where the previous one could: another one costs a preemption.
    Preemption,
    /// The decision is a value, which is free. It may come after the decision which thread performs the event.
    Value,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DecisionNode {
    /// The index of the event that comes after the decision.
    pub(super) event: u32,
    /// The alternative taken, below `count`.
    pub(super) choice: u32,
    /// The number of alternatives; 0 where it is not known yet (a prefix out of the frontier).
    pub(super) count: u32,
    pub(super) cost: Cost,
    /// Whether executions that take a preemption here repeat those that take the free switch after the failed iteration.
    pub(super) waited: bool,
}

impl DecisionNode {
    pub(super) const fn unknown(choice: u32) -> Self {
        Self { event: 0, choice, count: 0, cost: Cost::Free, waited: false }
    }
}

/// A decision of a prefix, and the digest of the events before it, by which it is checked that an execution repeats them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Verify {
    pub(super) decision: usize,
    pub(super) digest: u32,
}

/// Returns a digest of the events of a prefix, by which it is noticed later that the prefix has other events.
pub(super) fn digest(steps: &[Step]) -> u32 {
    let digest = steps.iter().fold(0, |before, step| step.digest(before));
    // Of the digest's two halves the high one is mixed well.
    (digest >> 32) as u32
}

pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("an execution has fewer than 2^32 decisions")
}
