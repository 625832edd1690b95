//! The blocks of an execution: events of a thread with no event of another thread in between.

use super::numbers::{BlockNumber, Stamp};
use crate::event::Thread;

/// The blocks of the execution.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The block of its thread that the next event is in, if it is in one.
    pub(super) current: Option<BlockNumber>,
    /// The number of blocks that each thread has begun.
    begun: Vec<usize>,
    /// The last events of the blocks that were left in their middle.
    pub(super) left: Vec<Stamp>,
}

impl Blocks {
    /// Forgets the last execution.
    pub(super) fn clear(&mut self) {
        self.current = None;
        self.begun.clear();
        self.left.clear();
    }

    /// Begins a block of the thread.
    pub(super) fn open(&mut self, thread: Thread) {
        self.current = Some(self.next(thread));
        if self.begun.len() <= thread.index() {
            self.begun.resize(thread.index() + 1, 0);
        }
        self.begun[thread.index()] += 1;
    }

    /// Ends the block.
    pub(super) const fn close(&mut self) {
        self.current = None;
    }

    /// Ends the block in its middle, with this event.
    pub(super) fn leave(&mut self, last: Option<Stamp>) {
        self.left.extend(last);
        self.current = None;
    }

    /// Returns the number of the block that the thread begins next.
    pub(super) fn next(&self, thread: Thread) -> BlockNumber {
        BlockNumber::new(self.begun.get(thread.index()).copied().unwrap_or(0))
    }
}
