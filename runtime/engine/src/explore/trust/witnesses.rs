//! Threads that go on behind an iteration of a wait loop that changed something in passing, because somebody saw it.
//!
//! A thread waits behind an iteration that it has undone, unless another one has seen what was changed: the event that saw it, its
//! *witness*, lets the thread go on. What the thread does then depends on the witness as a read does on the write that it reads from,
//! although the witness may only read, and the paper's prefixes have reads of others in them only through what these write. So the
//! graph has a choice before the thread's next event, which comes after its witness: a revisit that keeps the event keeps the witness.
//! Without that, no graph would hold an iteration that nobody sees *yet*, and what a thread does behind several of them could never be
//! seen by an event that was added before.
//!
//! 1. Such a thread goes on only where all others that can go on stand behind such an iteration as well: the first of them does. What may
//!    see the iteration, and comes neither of what the thread does next nor of what those others do, has been added then.
//! 2. Each of them is tried as the witness. Graphs that differ in nothing else are of one class: the one in which each witness is the first
//!    of those that saw the iteration, by thread and program order, counts.
//! 3. An event that comes to see an iteration behind which the thread has gone without a witness, since something else had changed,
//!    is of a class that has another graph, in which there is one.
//!
//! An event that saw the iteration and writes comes before what undid it in the order of writes, as an event that writes does at all of its
//! places: there is no choice then.

use super::event::{What, Writes};
use super::graph::ExecutionGraph;
use super::numbers::Stamp;
use crate::event::Thread;

/// An event that saw an iteration, and its index in the execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Witness {
    pub(super) thread: Thread,
    pub(super) index: u32,
    pub(super) event: Stamp,
}

/// The threads that stand behind an iteration that was seen, and those who saw it.
#[derive(Debug, Default)]
pub(super) struct Behind(Vec<(Thread, Vec<Witness>)>);

impl Behind {
    /// A new execution begins.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether no thread stands behind such an iteration.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the thread stands behind such an iteration.
    pub(super) fn contains(&self, thread: Thread) -> bool {
        self.0.iter().any(|&(other, _)| other == thread)
    }

    /// Notes who saw the last iteration of the thread.
    pub(super) fn saw(&mut self, thread: Thread, witness: Witness) {
        match self.0.iter_mut().find(|(other, _)| *other == thread) {
            Some((_, witnesses)) => witnesses.push(witness),
            None => self.0.push((thread, vec![witness])),
        }
    }

    /// Returns who saw the last iteration of the thread, in their order, as it goes on.
    pub(super) fn take(&mut self, thread: Thread) -> Vec<Witness> {
        let Some(at) = self.0.iter().position(|&(other, _)| other == thread) else { return Vec::new() };
        let (_, mut witnesses) = self.0.swap_remove(at);
        witnesses.sort_unstable();
        witnesses.dedup();
        witnesses
    }
}

/// Returns the number of this witness among the events, and of the events, as a choice.
pub(super) fn choice(events: &[Stamp], witness: Stamp) -> Option<What> {
    let value = events.iter().position(|&event| event == witness)?;
    let number = |number: usize| u32::try_from(number).expect("fewer than 2^32 events");
    Some(What::Witness { value: number(value), count: number(events.len()) })
}

/// Adds the choice of a thread that goes on among those who saw its last iteration, the first of which is chosen.
pub(super) fn append(graph: &mut ExecutionGraph, thread: Thread, events: Vec<Stamp>) {
    let first = events[0];
    let what = choice(&events, first).expect("it is the first one");
    let at = graph.push(thread, what, Writes::Surely, None);
    graph.orders.set(at, std::iter::once(first));
    graph.witnesses.set(at, events);
    graph.settle(at);
    graph.sequence.order.push(at);
}

/// Makes these the events that the choice is among, and the witness the one that it had or, if that is not known, the one with its number.
/// Returns the witness, and whether it is another one than before: [`ExecutionGraph::rebuild`] has to follow then. None if it is not among
/// the events.
pub(super) fn renew(graph: &mut ExecutionGraph, at: Stamp, events: Vec<Stamp>) -> Option<(Stamp, bool)> {
    let What::Witness { value, .. } = graph.event(at).what else { return None };
    let known = graph.orders.of(at).next();
    let witness = known.or(events.get(value as usize).copied())?;
    graph.event_mut(at).what = choice(&events, witness)?;
    graph.witnesses.set(at, events);
    graph.orders.set(at, std::iter::once(witness));
    Some((witness, known.is_none()))
}

/// Makes the next one of those who saw the iteration the witness of the choice that was added last; returns false if there is none.
pub(super) fn next(graph: &mut ExecutionGraph, at: Stamp) -> bool {
    let What::Witness { value, count } = graph.event(at).what else { return false };
    let Some(&witness) = graph.witnesses.of(at).get(value as usize + 1) else { return false };
    graph.event_mut(at).what = What::Witness { value: value + 1, count };
    graph.orders.set(at, std::iter::once(witness));
    graph.set_clock(at);
    true
}

/// Takes over the choices of another graph whose events are kept here; `stamp` tells the stamps of its events here.
pub(super) fn keep(into: &mut ExecutionGraph, from: &ExecutionGraph, stamp: impl Fn(Stamp) -> Option<Stamp>) {
    into.witnesses.copy_kept(&from.witnesses, stamp);
    for (at, events) in into.witnesses.all() {
        let witness = into.orders.of(at).next().expect("a choice comes after its witness");
        into.events[at.index()].what = choice(events, witness).expect("it is one of them");
    }
}
