//! The first end of the process in an execution.

use std::ffi::c_int;

use protocol::Operation;

use crate::process::sites::RecordPointer;
use crate::state::failure::{Extent, Failure};

/// A thread's act of ending the process.
#[derive(Clone, Copy)]
pub(crate) struct Exit {
    pub(crate) status: c_int,
    /// The operation: `exit`, the return of `main` and so on.
    pub(crate) operation: Operation,
    pub(crate) site: RecordPointer,
}

/// The first end of the process in an execution.
#[derive(Default)]
pub(crate) struct Exited {
    /// The exit status as a parent process would see it, once a thread has exited.
    pub(crate) status: Option<u8>,
    /// Whether a thread has ended the process by `exit` or one of its sisters.
    pub(crate) is_called: bool,
    /// The failure that this end is, with the extent of the execution at that time; `None` also once it was counted.
    pub(crate) failure: Option<(Failure, Extent)>,
}

impl Exited {
    /// Returns the exit status, if a thread has exited.
    pub(crate) const fn status(&self) -> Option<u8> {
        self.status
    }

    /// Whether the end of the process is no failure; meaningful only before [`Self::take_failure`].
    pub(crate) const fn is_well(&self) -> bool {
        self.failure.is_none()
    }

    /// Takes the failure that the end of the process is.
    pub(crate) const fn take_failure(&mut self) -> Option<(Failure, Extent)> {
        self.failure.take()
    }
}

/// Returns a status as a parent process sees it: its lowest eight bits.
pub(crate) const fn seen(status: c_int) -> u8 {
    status.to_le_bytes()[0]
}
