//! The blocks of an execution: events of a thread with nothing of others in between.

use super::numbers::{BlockNumber, Stamp};
use crate::event::Thread;

/// The blocks of the execution.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Which of its thread's blocks the next event is in, if it is in one.
    pub(super) current: Option<BlockNumber>,
    /// How many blocks each thread has begun.
    begun: Vec<usize>,
    /// The last events of blocks that were left in their middle.
    pub(super) left: Vec<Stamp>,
}

impl Blocks {
    /// A new execution begins.
    pub(super) fn clear(&mut self) {
        self.current = None;
        self.begun.clear();
        self.left.clear();
    }

    /// A block of the thread begins.
    pub(super) fn open(&mut self, thread: Thread) {
        self.current = Some(self.next(thread));
        if self.begun.len() <= thread.index() {
            self.begun.resize(thread.index() + 1, 0);
        }
        self.begun[thread.index()] += 1;
    }

    /// The block is over.
    pub(super) const fn close(&mut self) {
        self.current = None;
    }

    /// The block ends in its middle, with this event.
    pub(super) fn leave(&mut self, last: Option<&Stamp>) {
        self.left.extend(last);
        self.current = None;
    }

    /// The block that the thread begins next.
    pub(super) fn next(&self, thread: Thread) -> BlockNumber {
        BlockNumber::new(self.begun.get(thread.index()).copied().unwrap_or(0))
    }
}
