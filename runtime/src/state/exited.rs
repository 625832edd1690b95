//! The first end of the process.

use std::ffi::c_int;

use protocol::Operation;

use crate::process::sites::RecordPointer;
use crate::state::failure::{Extent, Failure};

/// How a thread ends the process.
#[derive(Clone, Copy)]
pub(crate) struct Exit {
    pub(crate) status: c_int,
    /// `exit`, `return`, …
    pub(crate) operation: Operation,
    pub(crate) site: RecordPointer,
}

/// The first end of the process.
#[derive(Default)]
pub(crate) struct Exited {
    /// What a parent process would see of its status.
    pub(crate) status: Option<u8>,
    /// Some thread has ended it by `exit` or one of its sisters.
    pub(crate) is_called: bool,
    /// What is wrong with it, and how far the execution had come; none also once that was counted.
    pub(crate) failure: Option<(Failure, Extent)>,
}

impl Exited {
    /// The exit status, if a thread has exited.
    pub(crate) const fn status(&self) -> Option<u8> {
        self.status
    }

    /// Whether nothing is wrong with it; asked before [`Self::take_failure`].
    pub(crate) const fn is_well(&self) -> bool {
        self.failure.is_none()
    }

    /// What is wrong with it, once.
    pub(crate) const fn take_failure(&mut self) -> Option<(Failure, Extent)> {
        self.failure.take()
    }
}

/// What a parent process sees of a status.
pub(crate) const fn seen(status: c_int) -> u8 {
    status.to_le_bytes()[0]
}
