//! The monitors of transactions at work on a log, where they judge an execution of SC, a trace, or an execution of TSO.

use std::collections::BTreeSet;

use engine::atomicity::{CheckBudget, Criterion, Mark, Outcome, Serializability, TraceCheck, Violation};
use engine::event::{Event, EventIndex, Location, Thread};
use protocol::{MonitorName, Role};

use super::threads::Commits;

/// The judge of an execution.
enum Judge {
    /// The judge looks at the execution alone.
    Execution(Serializability),
    /// The judge looks at all executions of TSO with this order of issues.
    Trace(TraceCheck),
}

/// A monitor of transactions.
pub(super) struct Watcher {
    judge: Judge,
    violations: Vec<Violation>,
}

/// Whether a monitor watches logs with such commits.
pub(super) const fn fits(name: MonitorName, commits: Commits) -> bool {
    match name {
        MonitorName::TsoAtomicity => true,
        MonitorName::ScEquivalence => matches!(commits, Commits::Logged),
        _ => matches!(commits, Commits::Implied),
    }
}

impl Watcher {
    /// Makes the monitor of this name, if it is one of transactions that watches such logs.
    pub(super) fn new(name: MonitorName, commits: Commits, search_steps: u64) -> Option<Self> {
        let execution = |criterion| Judge::Execution(Serializability::new(criterion));
        let budget = CheckBudget { steps: search_steps, ..CheckBudget::default() };
        let judge = match (name, commits) {
            (MonitorName::ScAtomicity, _) => execution(Criterion::Sc),
            (MonitorName::ScEquivalence, _) => execution(Criterion::ScEquivalence),
            (MonitorName::TsoAtomicity, Commits::Logged) => execution(Criterion::Tso),
            (MonitorName::TsoAtomicity, Commits::Implied) => Judge::Trace(TraceCheck::new(budget)),
            _ => return None,
        };
        Some(Self { judge, violations: Vec::new() })
    }

    /// Begins a new execution.
    pub(super) fn begin(&mut self) {
        match &mut self.judge {
            Judge::Execution(judge) => judge.begin(),
            Judge::Trace(judge) => judge.begin(),
        }
    }

    /// Takes a mark, which balances.
    pub(super) fn mark(&mut self, thread: Thread, mark: Mark) {
        let _ = match &mut self.judge {
            Judge::Execution(judge) => judge.mark(thread, mark),
            Judge::Trace(judge) => judge.mark(thread, mark),
        };
    }

    /// Takes the next event.
    pub(super) fn event(&mut self, event: &Event, locations: &[Location]) {
        match &mut self.judge {
            Judge::Execution(judge) => judge.event(event, locations, &mut self.violations),
            Judge::Trace(judge) => judge.event(event, locations, &mut self.violations),
        }
    }

    /// Makes the oldest waiting store of the thread, which has one, reach memory.
    pub(super) fn commit(&mut self, thread: Thread) {
        if let Judge::Execution(judge) = &mut self.judge {
            judge.commit(thread, &mut self.violations);
        }
    }

    /// Ends the execution, and returns whether anything is known of it. Marks that do not balance have been reported already.
    pub(super) fn end(&mut self) -> Answer {
        match &mut self.judge {
            Judge::Execution(judge) => {
                let _ = judge.end(&mut self.violations);
                Answer::Decided
            }
            Judge::Trace(judge) => {
                let _ = judge.end(&mut self.violations);
                if judge.outcome() == Outcome::Undecided { Answer::Undecided } else { Answer::Decided }
            }
        }
    }

    /// Returns what was found since the last call.
    pub(super) fn take(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.violations)
    }

    /// Whether something was found since the last call of [`Watcher::take`].
    pub(super) const fn has_found(&self) -> bool {
        !self.violations.is_empty()
    }
}

/// Whether an execution has been decided one way or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    Decided,
    /// The search took too long to decide.
    Undecided,
}

/// Returns the events of a cycle, with the part that each one plays.
pub(super) fn parts(cycle: &Violation) -> Vec<(Role, EventIndex)> {
    let edges = cycle.edges.iter().flat_map(|edge| {
        let to = if edge.is_reordered() { Role::Overtaken } else { Role::To };
        [(Role::From, edge.from), (to, edge.to)]
    });
    let delays = cycle.delays.iter().flat_map(|delay| [(Role::Delayed, delay.store), (Role::Until, delay.after)]);
    edges.chain(delays).collect()
}

/// Returns the identity of a cycle: the places of its edges.
pub(super) fn edges<S: Ord + Copy>(parts: &[(Role, S)]) -> BTreeSet<[S; 2]> {
    let is_edge = |pair: &&[(Role, S)]| pair[0].0 == Role::From;
    parts.chunks_exact(2).filter(is_edge).map(|pair| [pair[0].1, pair[1].1]).collect()
}
