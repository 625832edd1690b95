//! Threads that wait for something to be different.

use super::event::{Begins, GraphEvent, Watched, What};
use super::graph::ExecutionGraph;
use super::numbers::{BlockNumber, Stamp};
use crate::event::Thread;
use crate::explore::Standing;

/// A thread that waits, and what it waits for.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) thread: Thread,
    /// The events of its last iteration.
    pub(super) iteration: Vec<Stamp>,
    pub(super) watched: Vec<Watched>,
    pub(super) begins: Begins,
    pub(super) standing: Standing,
}

impl Waiting {
    /// Returns what a thread waits for whose last iteration are these events; `block` is the next block that it begins.
    pub(super) fn of(
        graph: &ExecutionGraph,
        thread: Thread,
        iteration: Vec<Stamp>,
        standing: Standing,
        block: BlockNumber,
    ) -> Self {
        let mut watched: Vec<Watched> = Vec::new();
        for access in iteration.iter().flat_map(|&event| graph.accesses_of(event)) {
            if access.watch_is_aside() || watched.iter().any(|&(place, _)| place == access.place) {
                continue;
            }
            // What an operation on an object shows of its state is not known here.
            let known = access.values.filter(|_| !access.place.is_object());
            watched.push((access.place, known.map(|(before, _)| before)));
        }
        let first = iteration.first().map(|&event| graph.event(event));
        let begins = match (standing, first) {
            (Standing::InALoop, Some(&GraphEvent { block: Some(_), accesses, .. })) => {
                Begins::WithBlock { block, on: graph.accesses.of(accesses)[0].place }
            }
            (Standing::InALoop, Some(GraphEvent { what: What::Write, .. })) | (Standing::BeforeALimitedWait, _) => {
                Begins::ByWriting
            }
            _ => Begins::ByReading,
        };
        Self { thread, iteration, watched, begins, standing }
    }
}

/// Whether the iterations after which these threads wait for ever come after all that they conflict with, those of a thread with
/// a lower number first: executions in which they do not only repeat that one. `performed` are all events, in their order.
pub(super) fn are_last(graph: &ExecutionGraph, performed: &[Stamp], iterations: &[(Thread, &[Stamp])]) -> bool {
    if iterations.is_empty() {
        return true;
    }
    let waits = |event: Stamp| iterations.iter().any(|(_, iteration)| iteration.contains(&event));
    let conflict = |event: Stamp, other: Stamp| {
        let writes = graph.event(event).writes() || graph.event(other).writes();
        let own = graph.accesses_of(event);
        writes && graph.accesses_of(other).iter().any(|theirs| own.iter().any(|own| own.place == theirs.place))
    };
    performed.iter().enumerate().filter(|&(_, &event)| waits(event)).all(|(at, &event)| {
        let thread = graph.event(event).thread;
        let later = |other: Stamp| !waits(other) || graph.event(other).thread < thread;
        performed[at..].iter().all(|&other| other == event || !later(other) || !conflict(event, other))
    })
}
