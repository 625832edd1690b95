//! Milestones of a thread: the beginnings and ends of what it can use, between its accesses.

use std::ops::Range;

use engine::event::Thread;
use engine::graph::EventId;
use engine::graph::lifetime::Moment;
use protocol::{FailureKind, Operation, Role, SiteUse};

use crate::process::sites::{Record, RecordPointer};
use crate::state::failure::{Failure, Late, part};
use crate::state::locals::Local;
use crate::state::objects::Class;

/// A change that a thread makes to something that can be used only for a time.
#[derive(Clone)]
pub(crate) enum Change {
    /// A local variable begins to live in this memory.
    Begins(Range<usize>),
    /// The object of this class at this address is initialised by this function.
    Initialises(usize, Class, &'static str),
    /// A block of the heap, at this address, is freed by this function.
    Frees(usize, &'static str),
    /// The function of a local variable returns.
    Leaves(Local),
    /// The object of this class at this address is destroyed by this function.
    Destroys(usize, Class, &'static str),
}

/// A change, and where it happens.
#[derive(Clone)]
pub(crate) struct Milestone {
    pub(crate) change: Change,
    pub(crate) moment: Moment,
    /// The number of milestones of its thread that come before it.
    pub(crate) nth: usize,
    pub(crate) site: RecordPointer,
}

impl Milestone {
    /// Returns what identifies the milestone: its thread, and its number there.
    pub(crate) const fn id(&self) -> (u16, usize) {
        (self.moment.thread, self.nth)
    }

    /// Returns the thread that makes the change, and the place where it does.
    pub(crate) fn doer(&self) -> (Thread, &'static Record) {
        (Thread::from_index(self.moment.thread.into()), Record::behind(self.site))
    }

    /// Describes that an access may take effect behind this change, which is an end by this operation.
    pub(crate) fn before(&self, access: EventId, operation: Operation) -> Late {
        Late { access, end: self.moment, site: part(Role::Earlier, self.doer(), operation) }
    }

    /// Makes the failure of which this change is the operation that fails.
    pub(crate) fn failure(
        &self,
        kind: FailureKind,
        message: String,
        operation: Operation,
        others: Vec<SiteUse>,
    ) -> Failure {
        let at = part(Role::At, self.doer(), operation);
        Failure::new(kind, message, [vec![at], others].concat())
    }
}
