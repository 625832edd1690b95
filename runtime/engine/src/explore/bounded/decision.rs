//! A decision of an execution, and the digest of the events before it.

use crate::step::Step;

/// What is decided, and whether the alternatives to choice 0 cost a preemption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cost {
    /// Who goes on, where nobody is preempted.
    Free,
    /// Who goes on, where the previous thread could.
    Preemption,
    /// A value: free. It may come after the decision who performs the event.
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
    /// Executions that take a preemption here repeat those that take the free switch after the failed iteration.
    pub(super) waited: bool,
}

impl DecisionNode {
    pub(super) const fn unknown(choice: u32) -> Self {
        Self { event: 0, choice, count: 0, cost: Cost::Free, waited: false }
    }
}

/// A digest of the events before a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Verify {
    pub(super) decision: usize,
    pub(super) digest: u32,
}

/// Returns a digest of the events that a prefix has, to notice later that it has others.
pub(super) fn digest(steps: &[Step]) -> u32 {
    let digest = steps.iter().fold(0, |before, step| step.digest(before));
    // The high half is the one that is mixed well.
    (digest >> 32) as u32
}

pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).expect("an execution has fewer than 2^32 decisions")
}
