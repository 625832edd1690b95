//! What begins and ends between the accesses of a thread.

use std::ops::Range;

use engine::event::Thread;
use engine::graph::lifetime::Moment;
use protocol::{FailureKind, Operation, Role, SiteUse};

use crate::process::sites::{Record, RecordPointer};
use crate::state::failure::{Failure, part};
use crate::state::locals::Local;
use crate::state::objects::Class;

/// What a thread does to what can be used only for a time.
#[derive(Clone)]
pub(crate) enum Change {
    /// Something begins to live in this memory: an object, or a local variable.
    Begins(Range<usize>),
    /// A block of the heap is freed by this function.
    Frees(usize, &'static str),
    /// The function of a local variable returns.
    Leaves(Local),
    /// The object of this class at the address is destroyed.
    Destroys(usize, Class),
}

/// A change, and where.
#[derive(Clone)]
pub(crate) struct Milestone {
    pub(crate) change: Change,
    pub(crate) moment: Moment,
    /// So many of its thread come before it.
    pub(crate) nth: usize,
    pub(crate) site: RecordPointer,
}

impl Milestone {
    pub(crate) const fn id(&self) -> (u16, usize) {
        (self.moment.thread, self.nth)
    }

    pub(crate) fn doer(&self) -> (Thread, &'static Record) {
        (Thread::from_index(self.moment.thread.into()), Record::behind(self.site))
    }

    /// The failure of an operation that this makes one.
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
