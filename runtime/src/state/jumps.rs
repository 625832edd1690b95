//! The buffers that `setjmp` has filled.

use engine::event::Thread;
use rustc_hash::FxHashMap;

use crate::state::signals::Blocked;

/// Where a buffer leads to.
#[derive(Clone, Copy)]
pub(crate) struct JumpTarget {
    pub(crate) thread: Thread,
    /// The stack pointer of the function that called `setjmp`, or a little less.
    pub(crate) stack: usize,
    /// How many local variables that others may know of the thread had.
    pub(crate) locals: usize,
    /// The signals that it blocked, if they are to be blocked again.
    pub(crate) blocked: Option<Blocked>,
    /// How many atomic blocks and transactions it was in.
    pub(crate) within: (u32, u32),
}

/// The buffers that were filled in this execution, by address.
#[derive(Default)]
pub(crate) struct Jumps {
    pub(crate) targets: FxHashMap<usize, JumpTarget>,
}

impl Jumps {
    /// Forgets all buffers.
    pub(crate) fn reset(&mut self) {
        self.targets.clear();
    }
}
