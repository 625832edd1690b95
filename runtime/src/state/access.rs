//! Accesses to memory that have been performed.

use engine::event::Kind;
use engine::mapping::Barriers;
use protocol::Operation;

use crate::process::sites::RecordPointer;

/// An access that has just been performed.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) address: usize,
    /// The width in bytes, from 1 to 8.
    pub(crate) width: u8,
    pub(crate) kind: Kind,
    pub(crate) barriers: Barriers,
    pub(crate) operation: Operation,
    pub(crate) site: RecordPointer,
    /// The value that memory held before.
    pub(crate) before: u64,
    /// The value that memory holds now.
    pub(crate) after: u64,
    /// The value that a compare-and-swap writes over, and over no other; `None` for other accesses.
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
    /// The bytes that memory held before.
    pub(crate) before: &'a [u8],
    /// The bytes that memory holds now, as many as before.
    pub(crate) after: &'a [u8],
}
