//! A violation, with the execution that shows it.

use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::failure::FailureKind;
use crate::operation::Operation;
use crate::place::Place;
use crate::schedule::Schedule;

/// The part an operation plays in a violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The store that waits in the buffer, e′.
    Delayed,
    /// The event before the overtaking one in its thread, prev.
    Previous,
    /// The access that comes before the delayed store takes effect, e.
    Overtaking,
    /// The access of a race that came first.
    First,
    /// The other one.
    Second,
    /// The event of a transaction on a cycle that takes effect first.
    From,
    /// The event of the next transaction on the cycle that conflicts with it.
    To,
    /// The event of the next transaction that conflicts, where it was issued before the first one: a store buffer makes
    /// that possible.
    Overtaken,
    /// The last event issued before a delayed store takes effect.
    Until,
    /// Where the failure happened.
    At,
    /// Where a thread waits.
    Waits,
    /// Where a thread came to hold what another one waits for.
    Holds,
    /// The operation on the same object before the one that failed.
    Earlier,
    /// Where the block was freed.
    Freed,
    /// Where the block was allocated, or the variable came to be.
    Allocated,
}

/// An operation of the program in a report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteUse {
    /// Its part in the violation.
    pub role: Role,
    /// The thread's number.
    pub thread: u32,
    /// Where it is in the source.
    #[serde(flatten)]
    pub place: Place,
    /// The function in whose source it stands; empty if unknown.
    pub function: String,
    /// What is done there.
    pub operation: Operation,
    /// The variable, if known; else empty.
    pub expression: String,
}

/// A violation, with the schedule that shows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// The kind of the violation.
    pub kind: FailureKind,
    /// The monitor that reported it, of a [`FailureKind::ScViolation`], a [`FailureKind::Race`] or a [`FailureKind::Atomicity`].
    pub monitor: Option<MonitorName>,
    /// What happened, in one sentence.
    pub message: String,
    /// What it is about, where neither kind nor places say that: the expression that was asserted, the name of a fault; else
    /// empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// The operations that take part.
    pub sites: Vec<SiteUse>,
    /// For an [`FailureKind::ScViolation`]: the indices of e′, prev and e among the execution's events, from 0.
    pub events: Option<[u64; 3]>,
    /// Where in the program's code, of a [`FailureKind::Crash`] that a signal ended: more exact than
    /// the place of the last operation, which is what `sites` can say.
    pub program_counter: Option<u64>,
    /// The execution, up to its end.
    pub schedule: Schedule,
}

/// What a cycle of transactions is, given the two ends of each of its edges, and what else there is to it.
#[must_use]
pub fn cycle_in_words(monitor: MonitorName, sites: &[SiteUse]) -> String {
    let sites: Vec<&SiteUse> =
        sites.iter().filter(|site| matches!(site.role, Role::From | Role::To | Role::Overtaken)).collect();
    let line = |site: &SiteUse| format!("{} at {}:{}", site.operation, site.place.file, site.place.line);
    let edges = sites.chunks_exact(2).map(|edge| format!("the {} before the {}", line(edge[0]), line(edge[1])));
    let edges: Vec<String> = edges.collect();
    let what = match monitor {
        MonitorName::ScEquivalence => "no sequentially consistent execution has",
        _ => "no order of the transactions, each of them alone, has",
    };
    format!("{what} all of this: {}", edges.join(", "))
}

/// What a schedule ends in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleEnd {
    /// An operation, or a fault.
    #[default]
    Operation,
    /// A failure of the thread with this number, in what it does next.
    Failure(u32),
}

impl ScheduleEnd {
    /// What the schedule of a violation ends in.
    #[must_use]
    pub fn of(violation: &Violation) -> Self {
        let at = violation.sites.iter().find(|site| site.role == Role::At);
        match (violation.kind, at) {
            (
                FailureKind::Assertion
                | FailureKind::Crash
                | FailureKind::DoubleFree
                | FailureKind::InvalidFree
                | FailureKind::UseAfterFree
                | FailureKind::OutOfBounds
                | FailureKind::Misuse
                | FailureKind::Uninitialised,
                Some(site),
            ) => Self::Failure(site.thread),
            _ => Self::Operation,
        }
    }
}
