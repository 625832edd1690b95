//! Events that read something older: such an event, which only reads, moves before the writes that come after what it then reads
//! (the paper's choices of rf as an event is added, of which the last write is the first).

use super::event::{GraphAccess, GraphEvent, What, Writes};
use super::graph::ExecutionGraph;
use super::numbers::{AccessNumber, Place, Stamp, entry};
use super::revisit::{can_perform, is_awake};
use super::sequence::Split;
use crate::per_thread::PerThread;

/// A closure: the events that come after some events by program order, by what is read, and by conflicts. Its flags are kept for
/// their memory.
#[derive(Debug, Default)]
pub(super) struct Closure {
    threads: PerThread<bool>,
    /// The places that an event in the closure touched, and in `written` those that one wrote, by the number of the search.
    touched: Vec<u32>,
    written: Vec<u32>,
    search: u32,
    /// The events that are not in the closure, and in `after` those that are.
    before: Vec<Stamp>,
    after: Vec<Stamp>,
    /// Whether each of all these events is in the closure.
    follows: Vec<bool>,
    /// The sources that are tried at the moment.
    sources: Vec<Option<AccessNumber>>,
    starts: Vec<Stamp>,
}

impl Closure {
    /// Makes the last event read something older than it has before; returns false if everything has been tried.
    pub(super) fn read_older(&mut self, graph: &mut ExecutionGraph, last: Stamp) -> bool {
        if graph.event(last).writes() {
            // The event was a compare-and-swap that wrote, and becomes one that fails.
            graph.accesses.unlink(graph.event(last).accesses);
            graph.event_mut(last).what = What::Read;
        }
        graph.sequence.restore(last);
        loop {
            let mut sources = std::mem::take(&mut self.sources);
            let next = next_sources(graph, last, &mut sources);
            let found = next.map(|()| self.reads(graph, last, &sources));
            self.sources = sources;
            match found {
                None => return false,
                Some(Older::Reads) => return true,
                Some(Older::Impossible) if graph.event(last).accesses.length() == 1 => return false,
                Some(Older::Impossible | Older::Sleeps) => {}
            }
        }
    }

    /// Makes the last event read from these sources, if it can.
    fn reads(&mut self, graph: &mut ExecutionGraph, last: Stamp, sources: &[Option<AccessNumber>]) -> Older {
        let GraphEvent { accesses, writes, .. } = *graph.event(last);
        if divides_a_block(graph, last, sources) {
            return Older::Sleeps;
        }
        let mut starts = std::mem::take(&mut self.starts);
        starts.clear();
        let next = (graph.accesses_of(last).iter().zip(sources))
            .map(|(access, &source)| graph.accesses.write_after(access.place, source));
        starts.extend(next.filter_map(|next| graph.accesses.event_of(next)));
        let splits = self.split(graph, last, &starts, sources);
        self.starts = starts;
        if !splits {
            return Older::Impossible;
        }
        let event = graph.event(last);
        let mut standing = graph.accesses_of(last).iter().zip(sources);
        let possible =
            event.need.is_none() || standing.all(|(access, &source)| can_perform(graph, event, access.place, source));
        if !possible || !is_awake(graph, graph.accesses_of(last), sources.iter().copied()) {
            return Older::Sleeps;
        }
        if let Writes::Over(Some(expected)) = writes {
            let place = graph.accesses_of(last)[0].place;
            if graph.accesses.value_after(place, sources[0]) == Some(expected) {
                // The event would write.
                return Older::Sleeps;
            }
        }
        for (access, &source) in graph.accesses.of_mut(accesses).iter_mut().zip(sources) {
            access.source = source;
        }
        graph.event_mut(last).what = What::Read;
        graph.moved = [Some(last), None];
        graph.set_clock(last);
        let order = &mut graph.sequence.order;
        order.clear();
        order.extend(&self.before);
        order.push(last);
        order.extend(&self.after);
        graph.sequence.splits.push(Split { event: last, follows: self.follows.clone() });
        Older::Reads
    }

    /// Splits the order, without the last event, into what comes after the starts and the rest; returns false if the last event
    /// would have to come after one of them itself.
    fn split(
        &mut self,
        graph: &ExecutionGraph,
        last: Stamp,
        starts: &[Stamp],
        sources: &[Option<AccessNumber>],
    ) -> bool {
        let thread = graph.event(last).thread;
        if starts.iter().any(|&start| graph.follows(last, start)) {
            return false;
        }
        self.search += 1;
        self.threads.first(256).fill(false);
        self.after.clear();
        let first = first_to_follow(graph, starts);
        let (before, rest) = graph.sequence.order.split_at(first);
        self.before.clear();
        self.before.extend(before.iter().filter(|&&index| index < last));
        self.follows.clear();
        self.follows.resize(self.before.len(), false);
        let mut order = rest.iter().copied().filter(|&index| index < last).peekable();
        let mut block = Vec::new();
        while let Some(index) = order.next() {
            let event = graph.event(index);
            if event.block.is_none() {
                let follows = self.follows(graph, index, starts);
                self.put(graph, index, follows);
            } else {
                // The events of a block are put on the same side.
                block.push(index);
                block.extend(std::iter::from_fn(|| order.next_if(|&next| graph.event(next).is_with(event))));
                let follows = block.iter().any(|&index| self.follows(graph, index, starts));
                block.drain(..).for_each(|index| self.put(graph, index, follows));
            }
            if self.threads[thread] {
                return false;
            }
        }
        let follows = |source: Stamp| self.after.contains(&source);
        let sources = sources.iter().filter_map(|&source| graph.accesses.event_of(source));
        !self.threads[thread] && !sources.chain(graph.orders.of(last)).any(follows)
    }

    /// Whether the event comes after one of the starts, or after an event that does and has been put there.
    fn follows(&self, graph: &ExecutionGraph, index: Stamp, starts: &[Stamp]) -> bool {
        let event = graph.event(index);
        let accesses = graph.accesses_of(index);
        if event.what == What::Leave {
            let source = graph.accesses.event_of(accesses[0].source);
            return self.threads[event.thread] || source.is_some_and(|source| self.after.contains(&source));
        }
        starts.contains(&index)
            || self.threads[event.thread]
            || matches!(event.what, What::Join(other) if self.threads[other])
            || graph.orders.of(index).any(|earlier| self.after.contains(&earlier))
            || accesses.iter().any(|access| self.conflicts(access, event.writes()))
    }

    /// Puts the event after or before.
    fn put(&mut self, graph: &ExecutionGraph, index: Stamp, follows: bool) {
        self.follows.push(follows);
        if !follows {
            self.before.push(index);
            return;
        }
        self.after.push(index);
        let event = graph.event(index);
        self.threads[event.thread] = true;
        if let What::Create(child) = event.what {
            self.threads[child] = true;
        }
        if event.what != What::Leave {
            for access in graph.accesses_of(index) {
                self.flag(access.place, event.writes());
            }
        }
    }

    fn conflicts(&self, access: &GraphAccess, writes: bool) -> bool {
        let flags = if writes { &self.touched } else { &self.written };
        flags.get(access.place.index()) == Some(&self.search)
    }

    fn flag(&mut self, place: Place, writes: bool) {
        *entry(&mut self.touched, place, 0) = self.search;
        if writes {
            *entry(&mut self.written, place, 0) = self.search;
        }
    }
}

/// Returns the place in the order of the first of the starts, or of the beginning of its block.
fn first_to_follow(graph: &ExecutionGraph, starts: &[Stamp]) -> usize {
    let order = &graph.sequence.order;
    let Some(at) = order.iter().position(|event| starts.contains(event)) else { return order.len() };
    let start = graph.event(order[at]);
    let block = order[..at].iter().rev().take_while(|&&index| graph.event(index).is_with(start));
    at - block.count()
}

/// The result of making an event read something older.
enum Older {
    /// The event reads it now.
    Reads,
    /// The event cannot read it and, if it has one access, nothing that is older still.
    Impossible,
    /// The event would not be what it is: it would wait, or write.
    Sleeps,
}

/// Whether the event would come between events of a block if it read from these sources.
fn divides_a_block(graph: &ExecutionGraph, last: Stamp, sources: &[Option<AccessNumber>]) -> bool {
    graph.accesses_of(last).iter().zip(sources).any(|(access, &source)| {
        let event = |access| graph.accesses.event_of(access).map(|event| graph.event(event));
        let next = event(graph.accesses.write_after(access.place, source));
        event(source).zip(next).is_some_and(|(source, next)| source.is_with(next))
    })
}

/// Whether this write, or another one of its block, has revisited the event.
fn is_settled(graph: &ExecutionGraph, last: Stamp, write: Stamp) -> bool {
    graph.marks.iter().any(|mark| {
        let by = graph.event(mark.by);
        mark.is_of(last, graph) && (mark.by == write || graph.event(write).is_with(by))
    })
}

/// Finds the next combination of sources for the last event; returns none if there is none. The first combination, the last
/// writes, was tried when the event was added.
fn next_sources(graph: &mut ExecutionGraph, last: Stamp, sources: &mut Vec<Option<AccessNumber>>) -> Option<()> {
    let event = graph.event_mut(last);
    event.tried.older += 1;
    let GraphEvent { accesses, tried, .. } = *event;
    let mut number = tried.older as usize;
    sources.clear();
    let graph = &*graph;
    let event_of = |write| graph.accesses.event_of(write);
    // The event cannot read anything older than what has revisited it.
    let settled = |write| event_of(write).is_some_and(|write| is_settled(graph, last, write));
    if accesses.length() == 1 {
        // The first source that it cannot read ends the search, so the writes need not be counted.
        let mut chain = graph.accesses.chain(graph.accesses_of(last)[0].place);
        if chain.by_ref().take(number).any(settled) {
            return None;
        }
        sources.push(chain.next()?);
        return Some(());
    }
    let knows = |write| graph.follows(last, write);
    let known = |write| event_of(write).is_none_or(knows);
    for access in graph.accesses_of(last) {
        let chain = || graph.accesses.chain(access.place);
        // The event cannot read anything older than what its thread knows already.
        let length = 1 + chain().take_while(|&write| !known(write) && !settled(write)).count();
        sources.push(chain().nth(number % length)?);
        number /= length;
    }
    (number == 0).then_some(())
}
