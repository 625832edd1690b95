//! Accesses that have been performed.

use engine::event::Kind;
use engine::mapping::Barriers;
use protocol::Operation;

use crate::process::sites::RecordPointer;

/// An access that has just been performed.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) address: usize,
    /// 1 to 8.
    pub(crate) width: u8,
    pub(crate) kind: Kind,
    pub(crate) barriers: Barriers,
    pub(crate) operation: Operation,
    pub(crate) site: RecordPointer,
    /// What memory held before.
    pub(crate) before: u64,
    /// What it holds now.
    pub(crate) after: u64,
    /// Of a compare-and-swap: what it writes only over.
    pub(crate) expected: Option<u64>,
}

/// An indivisible access to any number of bytes that has just been performed.
#[derive(Clone, Copy)]
pub(crate) struct WideAccess<'a> {
    pub(crate) address: usize,
    pub(crate) kind: Kind,
    pub(crate) barriers: Barriers,
    pub(crate) operation: Operation,
    pub(crate) site: RecordPointer,
    /// What memory held before.
    pub(crate) before: &'a [u8],
    /// What it holds now: as many bytes.
    pub(crate) after: &'a [u8],
}
