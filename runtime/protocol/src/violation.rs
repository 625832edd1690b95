//! A violation, with the execution that shows it.

use engine::monitor::MonitorName;
use serde::{Deserialize, Serialize};

use crate::failure::FailureKind;
use crate::operation::Operation;
use crate::place::Place;
use crate::schedule::Schedule;

/// The part that an operation plays in a violation.
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
    /// The access of a race that came second.
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
    /// The operation at which the failure happened.
    At,
    /// The operation at which a thread waits.
    Waits,
    /// The operation by which a thread came to hold what another one waits for.
    Holds,
    /// The operation on the same object before the one that failed.
    Earlier,
    /// The operation that freed the block.
    Freed,
    /// The operation that allocated the block, or began the variable's life.
    Allocated,
}

/// An operation of the program in a report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteUse {
    /// The part of the operation in the violation.
    pub role: Role,
    /// The thread's number.
    pub thread: u32,
    /// The place in the source.
    #[serde(flatten)]
    pub place: Place,
    /// The function in whose source the operation stands; empty if it is unknown.
    pub function: String,
    /// The operation.
    pub operation: Operation,
    /// The variable that the operation is on; empty if it is unknown.
    pub expression: String,
}

/// A violation, with the schedule that shows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// The kind of the violation.
    pub kind: FailureKind,
    /// The monitor that reported the violation, if it is a [`FailureKind::ScViolation`], a [`FailureKind::Race`] or a
    /// [`FailureKind::Atomicity`].
    pub monitor: Option<MonitorName>,
    /// A sentence that says what happened.
    pub message: String,
    /// The subject of the violation, where neither kind nor places say it: the expression that was asserted, the name
    /// of a fault; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// The operations that take part.
    pub sites: Vec<SiteUse>,
    /// The indices of e′, prev and e among the execution's events, from 0, of a [`FailureKind::ScViolation`].
    pub events: Option<[u64; 3]>,
    /// The address in the program's code of a [`FailureKind::Crash`] that a signal ended: more exact than the place of
    /// the last operation, which is what `sites` can say.
    pub program_counter: Option<u64>,
    /// The execution, up to its end.
    pub schedule: Schedule,
}

/// Describes a cycle of transactions in words, given the sites of a violation, of which only the ends of edges are
/// used.
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

/// The end of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleEnd {
    /// The schedule ends in an operation, or in a fault.
    #[default]
    Operation,
    /// The schedule ends in a failure of the thread with this number, in what it does next.
    Failure(u32),
}

impl ScheduleEnd {
    /// Returns the end of a violation's schedule.
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
