//! Violations of atomicity: cycles of transactions.

use crate::event::{Barrier, Event, EventIndex, Kind, Thread};

/// A transaction that is on a cycle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Transaction {
    /// The thread that performs it.
    pub thread: Thread,
    /// The number of transactions of the thread that began before it, those of a single event outside all marks included.
    pub number: u32,
}

/// A conflict: `from` takes effect before `to`, and the two cannot change places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// An event of one transaction.
    pub from: EventIndex,
    /// An event of the next one.
    pub to: EventIndex,
}

impl Edge {
    /// Whether a store buffer made the conflict possible: `to` was issued before `from`, and yet took effect later.
    #[must_use]
    pub const fn is_reordered(self) -> bool {
        self.from > self.to
    }
}

/// A store that does not commit at once when it is issued.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Delay {
    /// The store.
    pub store: EventIndex,
    /// The last event issued before it commits.
    pub after: EventIndex,
}

/// A cycle of transactions, which shows that no equivalent execution runs each of them alone.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    /// The transactions, each once; at least two.
    pub transactions: Vec<Transaction>,
    /// The conflicts, as many as transactions: edge i leads from transaction i to transaction i + 1, and the last one to the
    /// first.
    pub edges: Vec<Edge>,
    /// The commit placement that realises the cycle: the stores that do not commit at once, in the order in which they
    /// commit. All others commit as soon as the order of their thread's buffer lets them: a store that is not named
    /// here, and stands behind none that is, right after it is issued. Empty under SC.
    pub delays: Vec<Delay>,
}

/// Whether the event is a fence between stores, which orders nothing under SC and TSO.
pub(super) fn is_nothing(event: &Event) -> bool {
    event.kind == Kind::Fence && event.before != Barrier::Full && event.after != Barrier::Full
}
