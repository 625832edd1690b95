//! Memory models: which traces are allowed, and in which order their accesses may be committed so that every allowed
//! trace can be built up from allowed ones.

pub mod armv8;
pub mod c11;
pub mod cb0;
pub mod global;
pub(crate) mod name;
pub mod observed;
pub mod power;
pub mod pso;
pub mod riscv;
pub mod sc;
pub mod tso;

use crate::graph::lifetime::{Lifetimes, Moment};
use crate::graph::set::Set;
use crate::graph::trace::Trace;
use crate::graph::{EventId, Labels};
pub use name::MemoryModel;

/// What is kept of a model so that commits can be taken back.
pub trait Past<M>: Default + std::fmt::Debug {
    /// Keeps what the model knows now.
    fn keep(&mut self, model: &M);

    /// Makes the model know what it knew when this was kept; in between, nothing was taken back beyond that.
    fn take_back(&mut self, model: &mut M);
}

/// Keeps all of a model.
impl<M: Clone + Default + std::fmt::Debug> Past<M> for M {
    fn keep(&mut self, model: &M) {
        self.clone_from(model);
    }

    fn take_back(&mut self, model: &mut M) {
        std::mem::swap(self, model);
    }
}

/// A memory model, with what it knows of the trace so far.
///
/// That co, rf and fr do not contradict program order at any one location, and that nothing comes between the two parts
/// of a read-modify-write, holds under every model here, and is seen to by the explorer.
pub trait Model<const W: usize>: Default + std::fmt::Debug {
    /// What is kept of the model so that commits can be taken back.
    type Past: Past<Self>;

    /// Whether every access that can be committed can be committed in some way. The search relies on it; where it does not hold,
    /// the search blocks, and may miss traces that it would have reached through what it did not finish.
    const IS_DEADLOCK_FREE: bool = true;

    /// Whether each access awaits all accesses that come before it in its thread.
    const COMMITS_IN_ORDER: bool = false;

    /// Whether a load may read from the last store of its thread to its location before that store is committed. If so, the store
    /// is commit-before the load only if it is awaited, or the load reads from another write.
    const FORWARDS: bool = false;

    /// Whether what a read-modify-write orders depends on whether it writes: if so, the model is asked about its read only when
    /// that is known.
    const ORDERS_BY_OUTCOME: bool = false;

    /// Returns the accesses of the thread that must be committed before the one with the number `index`; none if they are not
    /// known yet. Together with rf, which is in it for every model, this is the commit-before order. Among the accesses returned
    /// are those at the same location that come before it. Where the model forwards, a load awaits only those of them behind the
    /// last store to its location, what that store waits for before its value is known, and the store itself where it is not
    /// forwarded.
    fn awaits(labels: &Labels<W>, index: usize) -> Option<Set<W>>;

    /// Takes in the last node of the trace, given the accesses of its thread as far as they are known, and returns whether the
    /// trace is allowed. After a trace that is not, the model is not asked again.
    fn admits(&mut self, trace: &Trace<W>, labels: &Labels<W>) -> bool;

    /// Returns how many numbers of a `Set<W>` the model needs.
    fn size(&self, trace: &Trace<W>) -> usize {
        trace.nodes().len()
    }

    /// Returns all pairs of accesses that race, in each the one that was committed earlier first, if the model knows races: if
    /// the trace has one, the program has no meaning.
    fn races(&self, _trace: &Trace<W>) -> Vec<(EventId, EventId)> {
        Vec::new()
    }

    /// Returns the order of the accesses of a complete trace and of these ends in it.
    fn lifetimes<'t>(&self, trace: &'t Trace<W>, ends: &[Moment]) -> Lifetimes<'t, W> {
        let keeps = |first: EventId, second: EventId| {
            trace.nodes_of(first).any(|one| trace.nodes_of(second).any(|other| self.keeps(trace, one, other)))
        };
        Lifetimes::new(trace, ends, keeps)
    }

    /// Whether a read-modify-write waits for something that comes before its write but not before its read. Since its two parts
    /// are committed at once, executions in which the read takes effect before that are then missed.
    #[must_use]
    fn waits_as_one(_labels: &Labels<W>, _index: usize) -> bool {
        false
    }

    /// Whether two nodes of a thread, `first` before `second` in program order, take effect in this order for every thread, by
    /// what is between them in their own.
    fn keeps(&self, trace: &Trace<W>, first: usize, second: usize) -> bool;
}
