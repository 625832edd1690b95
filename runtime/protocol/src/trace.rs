//! One execution in full.

use serde::{Deserialize, Serialize};

use crate::operation::Operation;
use crate::place::Place;
use crate::violation::Violation;

/// One execution in full.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// The events in the order in which they happened.
    pub events: Vec<TraceEvent>,
    /// The violations of this execution, each at its first occurrence, with empty schedules.
    pub violations: Vec<Violation>,
}

impl Trace {
    /// Whether the execution shows a violation: the same in all but the words and the schedule, which a trace does not repeat.
    #[must_use]
    pub fn shows(&self, violation: &Violation) -> bool {
        self.violations.iter().any(|shown| {
            shown.kind == violation.kind
                && shown.monitor == violation.monitor
                && shown.subject == violation.subject
                && shown.sites == violation.sites
        })
    }
}

/// One event of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceEvent {
    /// The thread's number.
    pub thread: u32,
    /// Where it is in the source.
    pub place: Place,
    /// The function in whose source it stands.
    pub function: String,
    /// What it does.
    pub operation: Operation,
    /// The variable if known, else an address in hexadecimal, or the mutex or thread; empty for a fence.
    pub target: String,
    /// The first byte of the access; 0 if it is no access.
    pub address: u64,
    /// The width of the access in bytes; 0 if it is no access.
    pub width: u32,
    /// The value read, if it reads: of an access of more than 8 bytes, its first 8.
    pub read: Option<u64>,
    /// The value written, if it writes; as `read`.
    pub written: Option<u64>,
    /// What the value read points to, if it is the address of something that has a name: `&pool[1]`; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub read_pointee: String,
    /// What the value written points to; as `read_pointee`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub written_pointee: String,
    /// What an access of more than 8 bytes reads beside, eight by eight; empty for others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_above: Vec<u64>,
    /// What an access of more than 8 bytes writes beside, eight by eight; empty for others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_above: Vec<u64>,
    /// For each monitor asked for, in their order: the indices of the stores that still wait in some store buffer of
    /// the simulated machine after this event; of many, the newest ones.
    pub pending: Vec<Vec<u64>>,
}
