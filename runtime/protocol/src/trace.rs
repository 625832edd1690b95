//! The trace of one execution: all its events and violations.

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
    /// Whether the execution shows a violation: the same in all but its words and its schedule, which a trace does not
    /// repeat.
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
    /// The place in the source.
    pub place: Place,
    /// The function in whose source the event stands.
    pub function: String,
    /// The operation.
    pub operation: Operation,
    /// The variable if known, else an address in hexadecimal, or the mutex or thread; empty for a fence.
    pub target: String,
    /// The address of the first byte of the access; 0 if the event is no access.
    pub address: u64,
    /// The width of the access in bytes; 0 if the event is no access.
    pub width: u32,
    /// The value read, if the event reads: the first 8 bytes of a wider access.
    pub read: Option<u64>,
    /// The value written, if the event writes: the first 8 bytes of a wider access.
    pub written: Option<u64>,
    /// The object that the value read points to, if it is the address of something that has a name: `&pool[1]`; else
    /// empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub read_pointee: String,
    /// The object that the value written points to, in the form of `read_pointee`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub written_pointee: String,
    /// The bytes that an access of more than 8 bytes reads beyond its first 8, eight by eight; empty for other events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_above: Vec<u64>,
    /// The bytes that an access of more than 8 bytes writes beyond its first 8, eight by eight; empty for other events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_above: Vec<u64>,
    /// The indices of the stores that still wait in some store buffer of the simulated machine after this event, for
    /// each monitor asked for, in their order; of many stores, the newest ones.
    pub pending: Vec<Vec<u64>>,
}
