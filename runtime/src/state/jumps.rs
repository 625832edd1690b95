//! The buffers that `setjmp` has filled.

use engine::event::Thread;
use rustc_hash::FxHashMap;

use crate::state::signals::Blocked;

/// The target of a jump: where a buffer leads to.
#[derive(Clone, Copy)]
pub(crate) struct JumpTarget {
    pub(crate) thread: Thread,
    /// The stack pointer of the function that called `setjmp`, or a little less.
    pub(crate) stack: usize,
    /// The number of local variables that the thread had and that others may know of.
    pub(crate) locals: usize,
    /// The signals that the thread blocked, if they are to be blocked again.
    pub(crate) blocked: Option<Blocked>,
    /// The numbers of atomic blocks and of transactions that the thread was in.
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
