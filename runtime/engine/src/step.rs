//! Steps: what two executions are compared by of their events.

use crate::event::{Kind, Site, Thread};

/// An event as far as determinism goes: the same prefix of decisions must give the same steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The thread that performs the event.
    pub thread: Thread,
    /// The place in the source.
    pub site: Site,
    /// The operation that is performed.
    pub kind: Kind,
    /// A part of the address that the event touches, or 0: it tells events apart, and is the same in every process that runs the
    /// program.
    pub target: u32,
}

impl Step {
    /// Returns the digest of the steps before and this one; `before` is that of the steps before. The numbers of objects, which
    /// each process gives as it comes to them, are no part of it: digests are compared between processes.
    #[must_use]
    pub const fn digest(&self, before: u64) -> u64 {
        let (kind, operand) = match self.kind {
            Kind::Load => (0, 0),
            Kind::Store => (1, 0),
            Kind::Rmw => (2, 0),
            Kind::FailedRmw => (3, 0),
            Kind::Fence => (4, 0),
            Kind::Lock(_) => (5, 0),
            Kind::Create(child) => (6, child.0),
            Kind::Join(child) => (7, child.0),
            Kind::CompareAndSwap => (8, 0),
            Kind::Share(_) => (9, 0),
            Kind::Wait { .. } => (10, 0),
            Kind::Await(_) => (11, 0),
        };
        let who = (self.site.0 as u64) << 32 | (kind as u64) << 8 | self.thread.0 as u64;
        let what = (self.target as u64) << 32 | operand as u64;
        mixed(mixed(before, who), what)
    }
}

/// Mixes a word into a hash, as the hash function of Firefox and rustc does.
const fn mixed(before: u64, word: u64) -> u64 {
    (before.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// The events of an iteration of a wait loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Iteration {
    /// The index of the first event.
    pub first: u32,
    /// The index of the last event.
    pub last: u32,
    /// The number of events.
    pub events: u32,
}
