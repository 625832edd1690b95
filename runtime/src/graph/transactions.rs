//! Are the transactions of an execution graph of TSO serializable? The graph is put into an order of issues and commits
//! ([`engine::atomicity::linearization()`]; which one does not matter), and told to the engine's monitor.
//!
//! What stands between the accesses of a thread, marks and fences, is no part of a graph. It is kept beside the accesses
//! of each run of a thread, and told just before the next access.

use engine::atomicity::Mark;

use crate::state::graph::{Aside, AsideOperation, Graph};

impl Graph {
    /// Keeps what stands here, between two accesses of the running thread.
    pub(crate) fn aside(&mut self, what: AsideOperation) {
        let (accesses, full) = (self.run.recorded.len(), self.run.fences.full);
        self.run.asides.push(Aside { what, accesses, full });
    }

    /// A transaction of the running thread begins or ends here.
    pub(crate) fn mark(&mut self, mark: Mark) {
        self.aside(AsideOperation::Mark(mark));
    }
}
