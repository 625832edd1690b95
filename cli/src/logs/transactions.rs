//! The monitors of transactions at work on a log: what an execution of SC, a trace, or an execution of TSO says.

use std::collections::BTreeSet;

use engine::atomicity::{CheckBudget, Criterion, Mark, Outcome, Serializability, TraceCheck, Violation};
use engine::event::{Event, EventIndex, Location, Thread};
use protocol::{MonitorName, Role};

use super::threads::Commits;

/// What an execution is judged by.
enum Judge {
    /// The execution alone.
    Execution(Serializability),
    /// All executions of TSO with this order of issues.
    Trace(TraceCheck),
}

/// One of the monitors.
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
    /// Returns the monitor of this name, if it is one of these.
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

    /// A new execution.
    pub(super) fn begin(&mut self) {
        match &mut self.judge {
            Judge::Execution(judge) => judge.begin(),
            Judge::Trace(judge) => judge.begin(),
        }
    }

    /// A mark, which balances.
    pub(super) fn mark(&mut self, thread: Thread, mark: Mark) {
        let _ = match &mut self.judge {
            Judge::Execution(judge) => judge.mark(thread, mark),
            Judge::Trace(judge) => judge.mark(thread, mark),
        };
    }

    /// The next event.
    pub(super) fn event(&mut self, event: &Event, locations: &[Location]) {
        match &mut self.judge {
            Judge::Execution(judge) => judge.event(event, locations, &mut self.violations),
            Judge::Trace(judge) => judge.event(event, locations, &mut self.violations),
        }
    }

    /// The oldest store of the thread, of which one waits, reaches memory.
    pub(super) fn commit(&mut self, thread: Thread) {
        if let Judge::Execution(judge) = &mut self.judge {
            judge.commit(thread, &mut self.violations);
        }
    }

    /// Returns the execution is over; whether nothing is known of it. What does not balance has been said.
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

    /// Returns what was found since it was last asked.
    pub(super) fn take(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.violations)
    }

    /// Whether something was found since it was last asked.
    pub(super) const fn has_found(&self) -> bool {
        !self.violations.is_empty()
    }
}

/// Whether an execution is one way or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    Decided,
    /// The search took too long.
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

/// Returns what makes two cycles the same: the places of the edges.
pub(super) fn edges<S: Ord + Copy>(parts: &[(Role, S)]) -> BTreeSet<[S; 2]> {
    let is_edge = |pair: &&[(Role, S)]| pair[0].0 == Role::From;
    parts.chunks_exact(2).filter(is_edge).map(|pair| [pair[0].1, pair[1].1]).collect()
}
