//! How the present execution ends.

use engine::event::Thread;

use crate::state::exited::Exited;
use crate::state::failure::{Extent, Failure};
use crate::state::turn::End;

/// What is known of the end of the present execution.
#[derive(Default)]
pub(crate) struct Conclusion {
    /// How it ended.
    pub(crate) end: Option<End>,
    /// The threads that have failed, with how many events and choices there were then, where the others go on.
    pub(crate) failed: Vec<(Failure, Extent)>,
    /// Some thread has failed an assumption, or after a block that was left in its middle, and the others went on.
    pub(crate) assumed: bool,
    /// A location had to be cut: the execution must be run again.
    pub(crate) void: bool,
    /// The first end of the process.
    pub(crate) exited: Exited,
    /// Threads that have called `exit`, and how far their stacks reached.
    pub(crate) exited_at: Vec<(Thread, usize)>,
}

impl Conclusion {
    /// A new execution begins.
    pub(crate) fn begin(&mut self) {
        self.end = None;
        self.failed.clear();
        self.assumed = false;
        self.void = false;
        self.exited = Exited::default();
        self.exited_at.clear();
    }
}
