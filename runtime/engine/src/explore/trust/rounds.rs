//! Iterations of wait loops that had no effect, and are taken back.
//!
//! Dropping such an iteration from an execution leaves an execution with the same failures and the same end behind it, so
//! nothing that comes behind one need be run. A thread that has gone through one does one of two things.
//!
//! 1. The iteration was *tried*: its events are the last ones of the graph, and read what was written last. They are removed
//!    from the graph, and the thread stands before its loop as if it had not been; it tries again once something that it
//!    read is different. That the next event to be added is not one of a thread that would try in vain depends on the graph
//!    alone, as the algorithm asks for. Where nobody else can go on, the iterations are added after all, at the end: so
//!    what they might have read instead is tried as well.
//! 2. The graph was *led* there, since some of what the iteration reads was moved. The iteration stays, and the thread rests
//!    until one of its reads is revisited. Where none can be (each of them was moved itself), the execution ends there.
//!
//! An execution in which a thread rests, although it would read something else by now, is blocked: it does not count.
//!
//! So that nothing is to be undone for others, only iterations are taken that read, or write what they have read. Those that
//! change something in passing are gone through as if they had an effect ([`super::waiting`]).

use super::event::{GraphAccess, GraphEvent, What};
use super::graph::ExecutionGraph;
use super::numbers::Stamp;
use crate::event::Thread;
use crate::explore::Rounds;

/// The iterations without effect of an execution.
#[derive(Debug, Default)]
pub(super) struct IdleIterations {
    pub(super) which: Rounds,
    /// Those that were taken back, of threads that still wait.
    taken_back: Vec<TakenBack>,
    /// Whether there ever was one in this execution.
    pub(super) has_taken_back: bool,
    /// Those that stay.
    resting: Vec<Resting>,
    /// The graph was led into one of the first so many of these that nothing can revisit.
    is_led: bool,
    looked_at: usize,
}

/// An iteration that was removed from the graph.
#[derive(Debug)]
struct TakenBack {
    thread: Thread,
    events: Vec<(GraphEvent, Vec<GraphAccess>)>,
}

/// A thread that does not go on behind its last iteration, which is in the graph.
#[derive(Debug)]
struct Resting {
    thread: Thread,
    iteration: Vec<Stamp>,
}

impl IdleIterations {
    /// A new execution begins.
    pub(super) fn clear(&mut self) {
        self.taken_back.clear();
        self.resting.clear();
        (self.has_taken_back, self.is_led, self.looked_at) = (false, false, 0);
    }

    /// Whether all threads go on.
    pub(super) const fn nobody_rests(&self) -> bool {
        self.resting.is_empty()
    }

    /// Whether the thread does not go on in this execution.
    pub(super) fn rests(&self, thread: Thread) -> bool {
        self.resting.iter().any(|resting| resting.thread == thread)
    }

    /// The thread goes on. Whether it had yielded before the iteration that was taken back, if one was.
    pub(super) fn goes_on(&mut self, thread: Thread) -> Option<bool> {
        let at = self.taken_back.iter().position(|taken_back| taken_back.thread == thread)?;
        let TakenBack { events, .. } = self.taken_back.swap_remove(at);
        events.first().map(|(first, _)| first.yielded)
    }

    /// Whether an iteration of the thread was taken back that wrote what it had read.
    pub(super) fn has_taken_back_writes(&self, thread: Thread) -> bool {
        let wrote = |taken_back: &TakenBack| taken_back.events.iter().any(|(event, _)| event.writes());
        self.taken_back.iter().any(|taken_back| taken_back.thread == thread && wrote(taken_back))
    }

    /// The thread has gone through this iteration, which stays in the graph.
    pub(super) fn rest(&mut self, thread: Thread, iteration: Vec<Stamp>) {
        self.resting.push(Resting { thread, iteration });
    }

    /// Whether there are iterations that stay of which it is not known whether something can revisit them.
    pub(super) fn has_new(&self) -> bool {
        self.looked_at < self.resting.len()
    }

    /// Whether the graph, of which all events are known, was led into an iteration that nothing can revisit.
    pub(super) fn is_led(&mut self, graph: &ExecutionGraph) -> bool {
        let mut new = self.resting[self.looked_at..].iter();
        self.is_led |= new.any(|resting| resting.iteration.iter().all(|&event| is_settled(graph, event)));
        self.looked_at = self.resting.len();
        self.is_led
    }

    /// The thread has gone through this iteration, whose events are the last ones of the graph.
    pub(super) fn take_back(&mut self, graph: &mut ExecutionGraph, thread: Thread, iteration: &[Stamp]) {
        let events = iteration.iter().map(|&event| (*graph.event(event), graph.accesses_of(event).to_vec())).collect();
        for &event in iteration.iter().rev() {
            assert_eq!(graph.sequence.order.pop(), Some(event), "what was added last comes last");
            graph.pop();
        }
        self.has_taken_back = true;
        self.taken_back.push(TakenBack { thread, events });
    }

    /// Nobody goes on any more: what was taken back last of each thread is added to the graph after all, by the numbers of
    /// the threads.
    pub(super) fn add_last(&mut self, graph: &mut ExecutionGraph) {
        self.taken_back.sort_by_key(|taken_back| taken_back.thread);
        for TakenBack { thread, events } in self.taken_back.drain(..) {
            let add = |(event, accesses): &(GraphEvent, Vec<GraphAccess>)| graph.append_again(event, accesses);
            let iteration = events.iter().map(add).collect();
            self.resting.push(Resting { thread, iteration });
        }
    }

    /// The iterations that stay.
    pub(super) fn remaining(&self) -> impl Iterator<Item = (Thread, &[Stamp])> {
        self.resting.iter().map(|resting| (resting.thread, resting.iteration.as_slice()))
    }
}

/// Whether an iteration leaves nothing to be undone: each event reads, and writes at most what it has read.
pub(super) fn is_pure(graph: &ExecutionGraph, iteration: &[Stamp]) -> bool {
    let reads = |event: Stamp| {
        let writes_what_it_read = || graph.accesses_of(event)[0].values.is_some_and(|(before, after)| before == after);
        graph.event(event).what != What::Write || writes_what_it_read()
    };
    !iteration.is_empty() && iteration.iter().all(|&event| is_plain(graph, event) && reads(event))
}

/// Whether the event could be one of an iteration that leaves nothing to be undone, for what it is and touches.
pub(super) fn is_plain(graph: &ExecutionGraph, event: Stamp) -> bool {
    let GraphEvent { what, block, need, .. } = *graph.event(event);
    let accesses = graph.accesses_of(event);
    let in_memory = accesses.iter().all(|access| !access.place.is_object() && !access.waited());
    let is_one_access = match what {
        What::Read | What::Local => true,
        What::Write => accesses.len() == 1,
        _ => false,
    };
    in_memory && is_one_access && block.is_none() && need.is_none()
}

/// Whether the event stays what it is in all graphs that come of this one: it has revisited another one, or something was
/// written behind what it reads and added earlier.
fn is_settled(graph: &ExecutionGraph, event: Stamp) -> bool {
    let is_late =
        |access: &GraphAccess| graph.accesses.writes_after(access.place, access.source).any(|write| write < event);
    match graph.event(event).what {
        What::Read => graph.accesses_of(event).iter().any(is_late),
        What::Write => graph.marks.iter().any(|mark| mark.by == event),
        _ => true,
    }
}
