//! Marks and fences between the accesses of a thread, which are no part of an execution graph. They are needed to
//! decide whether the transactions of a graph of TSO are serializable: the graph is put into an order of issues and
//! commits ([`engine::atomicity::linearization()`]; which one does not matter), and told to the engine's monitor.
//!
//! They are kept beside the accesses of each run of a thread, and each is told just before the next access.

use engine::atomicity::Mark;

use crate::state::graph::{Aside, AsideOperation, Graph};

impl Graph {
    /// Keeps an operation that stands here, between two accesses of the running thread.
    pub(crate) fn aside(&mut self, what: AsideOperation) {
        let (accesses, full) = (self.run.recorded.len(), self.run.fences.full);
        self.run.asides.push(Aside { what, accesses, full });
    }

    /// Notes that a transaction of the running thread begins or ends here.
    pub(crate) fn mark(&mut self, mark: Mark) {
        self.aside(AsideOperation::Mark(mark));
    }
}
