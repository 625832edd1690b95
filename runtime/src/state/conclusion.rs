//! The end of the present execution.

use engine::event::Thread;

use crate::state::exited::Exited;
use crate::state::failure::{Extent, Failure};
use crate::state::turn::End;

/// The end of the present execution, as far as it is known.
#[derive(Default)]
pub(crate) struct Conclusion {
    /// The end, once the execution has ended.
    pub(crate) end: Option<End>,
    /// The threads that have failed while the others go on, each with the extent of the execution at that time.
    pub(crate) failed: Vec<(Failure, Extent)>,
    /// Whether an assumption failed in some thread, or it stopped in the middle of an atomic block, and the others went
    /// on.
    pub(crate) assumed: bool,
    /// Whether a call has taken another path than was chosen for it, so that this is no execution of the program.
    pub(crate) is_none: bool,
    /// Whether a location had to be cut, so that the execution must be run again.
    pub(crate) void: bool,
    /// The first end of the process.
    pub(crate) exited: Exited,
    /// The threads that have called `exit`, each with the address down to which its stack reached.
    pub(crate) exited_at: Vec<(Thread, usize)>,
}

impl Conclusion {
    /// Forgets the last execution.
    pub(crate) fn begin(&mut self) {
        self.end = None;
        self.failed.clear();
        self.assumed = false;
        self.is_none = false;
        self.void = false;
        self.exited = Exited::default();
        self.exited_at.clear();
    }
}
