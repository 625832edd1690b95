//! The number of preemptions that a class needs: that of its execution with the fewest.
//!
//! Source: Marmanis, Kokologiannakis, Vafeiadis, "Reconciling Preemption Bounding with DPOR", TACAS 2023. A graph that
//! needs more than the bound and some slack has no class within the bound below it, and is not run. Where a thread has
//! no more events in a graph that is still to be completed, it costs nothing to leave it. Deviations:
//! 1. The slack is [`slack`]; the tests hold it against all executions of small programs.
//! 2. Switches are free where they are in [`crate::explore::bounded`]: also after a yield, and in a wait loop.
//!
//! The executions of a graph are tried, those with fewer preemptions first. A switch before an event on which no thread's waiting
//! depends is never worth it: performed at once, the event makes no switch dearer, and saves one.

use std::collections::HashSet;

use super::event::{GraphEvent, Round, Watch, What};
use super::graph::ExecutionGraph;
use super::numbers::{AccessNumber, Place, Stamp, entry};
use super::revisit::is_granted;
use super::rounds;
use crate::event::Thread;
use crate::explore::Rounds;
use crate::thread_set::ThreadSet;

/// Returns how many more preemptions than its classes a graph may need that is still to be completed.
fn slack(threads: usize) -> u32 {
    u32::try_from(threads.saturating_sub(2)).expect("at most 256 threads")
}

/// Whether some thread waited for a mutex to be free, or polled one: it may have to be left once more.
fn passes_mutexes(graph: &ExecutionGraph) -> bool {
    graph.accesses.all().iter().any(|access| access.waited() && access.place.is_object())
}

/// What a graph is judged as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Of {
    /// The graph is judged as the class that it is.
    Class,
    /// The class that it is, where a thread before an iteration of a wait loop may be left for nothing, as if it had gone
    /// through one without effect before.
    ClassWithRounds,
    /// The graph is judged as the beginning of classes that may be below it.
    Beginning,
}

/// A bound on the preemptions, and the tables that the search for an execution within it works with.
#[derive(Debug)]
pub(super) struct Bound {
    limit: u32,
    /// Whether something was not within the bound.
    pub(super) leaves_out: bool,
    threads: Vec<Line>,
    /// The writes of each place, in their order.
    writes: Vec<Vec<Write>>,
    /// The reads of each place since its last write.
    reads: Vec<Vec<Progress>>,
    /// The places that some thread waits for to change.
    watched: Vec<bool>,
    seen: HashSet<Reached>,
    pub(super) rounds: Rounds,
    /// Whether what is asked for may have iterations of wait loops that are not in the graph.
    with_rounds: bool,
}

/// The events of a thread.
#[derive(Clone, Default, Debug)]
struct Line {
    events: Vec<Planned>,
    /// The event before which the thread stands in the end, if it cannot go on.
    stands: Option<Stamp>,
    is_joined: bool,
}

/// An event of a thread, or a block of them.
#[derive(Clone, Debug)]
struct Planned {
    /// The event, or the first one of the block.
    first: Stamp,
    after: Vec<Progress>,
    /// Whether no thread's waiting depends on it, and leaving its thread before it costs something.
    is_plain: bool,
}

/// The number of events of a thread that are done, a block counting as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Progress {
    thread: Thread,
    events: u32,
}

#[derive(Clone, Copy, Debug)]
struct Write {
    access: AccessNumber,
    at: Progress,
}

/// A state of the search: how many events of each thread are done, and the thread that goes on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Reached {
    done: Vec<u32>,
    current: Thread,
}

impl Bound {
    /// Makes a bound of at most `limit` preemptions.
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit,
            leaves_out: false,
            threads: Vec::new(),
            writes: Vec::new(),
            reads: Vec::new(),
            watched: Vec::new(),
            seen: HashSet::new(),
            rounds: Rounds::All,
            with_rounds: false,
        }
    }

    /// Whether the graph is within the bound.
    pub(super) fn admits(&mut self, graph: &ExecutionGraph, of: Of) -> bool {
        self.with_rounds = self.rounds == Rounds::Passing && of != Of::Class;
        self.read(graph);
        if self.threads.is_empty() {
            // This is an execution without events.
            return true;
        }
        let limit = match of {
            Of::Class | Of::ClassWithRounds => self.limit,
            Of::Beginning => self.limit + slack(self.threads.len()) + u32::from(passes_mutexes(graph)),
        };
        self.seen.clear();
        let mut states = vec![Reached { done: vec![0; self.threads.len()], current: Thread::MAIN }];
        for _ in 0..=limit {
            let mut dearer = Vec::new();
            while let Some(state) = states.pop() {
                if self.seen.insert(state.clone()) && self.go_on(graph, state, &mut states, &mut dearer) {
                    return true;
                }
            }
            states = dearer;
        }
        self.leaves_out = true;
        false
    }

    /// Lets the current thread perform what it can; returns true if everything is done then. Where another thread can take over,
    /// that is a state of its own, which costs as much, or a preemption more.
    fn go_on(
        &self,
        graph: &ExecutionGraph,
        mut state: Reached,
        free: &mut Vec<Reached>,
        dearer: &mut Vec<Reached>,
    ) -> bool {
        loop {
            let line = &self.threads[state.current.index()];
            let next = line.events.get(state.done[state.current.index()] as usize);
            let can = next.is_some_and(|next| is_ready(next, &state.done));
            if !can || next.is_some_and(|next| !next.is_plain) {
                let into = if self.is_enabled(graph, &state) { &mut *dearer } else { &mut *free };
                for (index, other) in self.threads.iter().enumerate() {
                    let (thread, next) = (Thread::from_index(index), other.events.get(state.done[index] as usize));
                    if thread != state.current && next.is_some_and(|next| is_ready(next, &state.done)) {
                        into.push(Reached { current: thread, ..state.clone() });
                    }
                }
            }
            if !can {
                return self.threads.iter().zip(&state.done).all(|(line, &done)| done as usize == line.events.len());
            }
            state.done[state.current.index()] += 1;
        }
    }

    /// Whether it would be a preemption if another thread took over.
    fn is_enabled(&self, graph: &ExecutionGraph, state: &Reached) -> bool {
        let line = &self.threads[state.current.index()];
        let planned = line.events.get(state.done[state.current.index()] as usize);
        let Some(next) = planned.map(|planned| planned.first).or(line.stands) else { return false };
        let event = graph.event(next);
        if event.yielded || matches!(event.what, What::Asleep(_)) {
            return false;
        }
        if self.with_rounds && event.round == Round::Begins && self.goes_round(graph, state) {
            return false;
        }
        if let (What::Join(_), Some(planned)) = (event.what, planned) {
            return is_ready(planned, &state.done);
        }
        let accesses = graph.accesses_of(next);
        let held = |place: Place| {
            let writes = self.writes.get(place.index()).map_or(&[][..], Vec::as_slice);
            let last = writes.iter().rfind(|write| is_done(write.at, &state.done));
            last.map(|write| write.access)
        };
        if event.need.is_some() {
            return is_granted(graph, event, accesses.iter().map(|access| (access.place, held(access.place))));
        }
        let mut waits = false;
        let changed = accesses.iter().any(|access| match access.watch {
            Watch::No | Watch::Never => false,
            Watch::From(before) | Watch::Aside(before) => {
                waits = true;
                let now = graph.accesses.value_after(access.place, held(access.place));
                before.zip(now).is_some_and(|(before, now)| before != now)
            }
        });
        changed || !waits
    }

    /// Whether the current thread, which is about to begin an iteration of a loop, may go through one without effect first:
    /// not if it can perform the iteration that the graph has.
    fn goes_round(&self, graph: &ExecutionGraph, state: &Reached) -> bool {
        let line = &self.threads[state.current.index()];
        let mut ahead = line.events[state.done[state.current.index()] as usize..].iter();
        let Some(first) = ahead.next().filter(|first| rounds::is_plain(graph, first.first)) else { return false };
        let rest = ahead.take_while(|planned| graph.event(planned.first).round == Round::GoesOn);
        !std::iter::once(first).chain(rest).all(|planned| is_ready(planned, &state.done))
    }

    /// Reads from the graph what the search needs.
    fn read(&mut self, graph: &ExecutionGraph) {
        self.threads.iter_mut().for_each(|line| *line = Line::default());
        self.writes.iter_mut().for_each(Vec::clear);
        self.reads.iter_mut().for_each(Vec::clear);
        self.watched.fill(false);
        let events = || Stamp::FIRST.up_to(graph.end());
        for access in events().flat_map(|event| graph.accesses_of(event)) {
            *entry(&mut self.watched, access.place, false) |= access.waited();
            entry(&mut self.writes, access.place, Vec::new());
            entry(&mut self.reads, access.place, Vec::new());
        }
        if self.with_rounds {
            self.watch_rounds(graph);
        }
        for &event in graph.sequence.order.iter().filter(|&&event| event < graph.end()) {
            self.take(graph, event);
        }
        for event in events().filter(|&event| !graph.event(event).what.is_performed()) {
            self.line(graph.event(event).thread).stands = Some(event);
        }
        for line in self.threads.iter_mut().filter(|line| line.is_joined) {
            if let Some(last) = line.events.last_mut() {
                last.is_plain = false;
            }
        }
    }

    /// What iterations of loops read decides whether threads wait.
    fn watch_rounds(&mut self, graph: &ExecutionGraph) {
        let mut within = ThreadSet::EMPTY;
        for event in Stamp::FIRST.up_to(graph.end()) {
            let GraphEvent { thread, round, .. } = *graph.event(event);
            if round == Round::Begins {
                within.insert(thread);
            }
            if within.contains(thread) {
                for access in graph.accesses_of(event) {
                    *entry(&mut self.watched, access.place, false) = true;
                }
            }
        }
    }

    fn line(&mut self, thread: Thread) -> &mut Line {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Line::default);
        }
        &mut self.threads[thread.index()]
    }

    /// Takes an event, after all events that come before it.
    fn take(&mut self, graph: &ExecutionGraph, index: Stamp) {
        let event = graph.event(index);
        if matches!(event.what, What::Value { .. } | What::Witness { .. }) {
            return;
        }
        let line = self.line(event.thread);
        let goes_on = line.events.last().is_some_and(|last| graph.event(last.first).is_with(event));
        let events = line.events.len() + usize::from(!goes_on);
        let at = Progress { thread: event.thread, events: u32::try_from(events).expect("fewer than 2^32 events") };
        let mut after = Vec::new();
        self.follow(graph, index, &mut after);
        let mut is_plain =
            !event.yielded && event.need.is_none() && !(self.with_rounds && event.round == Round::Begins);
        for (number, access) in event.accesses.numbers().zip(graph.accesses_of(index)) {
            let place = access.place.index();
            is_plain &= !access.place.is_object() && !self.watched[place];
            if event.what == What::Leave {
                continue;
            }
            after.extend(self.writes[place].last().map(|write| write.at));
            if event.writes() {
                after.append(&mut self.reads[place]);
                self.writes[place].push(Write { access: number, at });
            } else {
                self.reads[place].push(at);
            }
        }
        after.retain(|before| before.thread != event.thread);
        let line = self.line(event.thread);
        match line.events.last_mut().filter(|_| goes_on) {
            Some(begun) => begun.after.append(&mut after),
            None => line.events.push(Planned { first: index, after, is_plain }),
        }
    }

    /// What comes before the event for other reasons than that they conflict.
    fn follow(&mut self, graph: &ExecutionGraph, index: Stamp, after: &mut Vec<Progress>) {
        let event = graph.event(index);
        after.extend(event.previous.map(|previous| self.progress(graph, previous)));
        after.extend(graph.orders.of(index).map(|earlier| self.progress(graph, earlier)));
        match event.what {
            What::Join(other) => {
                let line = self.line(other);
                line.is_joined = true;
                let events = u32::try_from(line.events.len()).expect("fewer than 2^32 events");
                after.push(Progress { thread: other, events });
            }
            What::Leave => {
                let sources = graph.accesses.of(event.accesses).iter();
                let released = sources.filter_map(|access| graph.accesses.event_of(access.source));
                after.extend(released.map(|source| self.progress(graph, source)));
            }
            _ => {}
        }
    }

    /// Returns how far its thread is with an event that has been taken.
    fn progress(&mut self, graph: &ExecutionGraph, event: Stamp) -> Progress {
        let thread = graph.event(event).thread;
        let events = self.line(thread).events.partition_point(|planned| planned.first <= event);
        Progress { thread, events: u32::try_from(events).expect("fewer than 2^32 events") }
    }
}

fn is_done(progress: Progress, done: &[u32]) -> bool {
    done[progress.thread.index()] >= progress.events
}

fn is_ready(planned: &Planned, done: &[u32]) -> bool {
    planned.after.iter().all(|&before| is_done(before, done))
}
