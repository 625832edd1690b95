//! Reading something older: an event that only reads moves before the writes that come after what it reads then.

use super::graph::{Access, Event, Graph, NONE, Split, What, Writes};
use super::overtaking::{can_perform, is_awake};
use crate::per_thread::PerThread;

/// What comes after some events by program order, what is read, and conflicts: flags that are kept for their memory.
#[derive(Debug, Default)]
pub(super) struct Closure {
    threads: PerThread<bool>,
    /// Places that an event in the closure touched or wrote, by the number of the search.
    touched: Vec<u32>,
    written: Vec<u32>,
    search: u32,
    /// The events before and in the closure.
    before: Vec<u32>,
    after: Vec<u32>,
    /// Which of all these are in the closure.
    follows: Vec<bool>,
    /// What is tried at the moment.
    sources: Vec<u32>,
    starts: Vec<u32>,
}

impl Closure {
    /// Makes the last event read something older than it has before; false if all has been tried.
    pub(super) fn read_older(&mut self, graph: &mut Graph, last: u32) -> bool {
        if graph.event(last).writes() {
            graph.fails(last);
        }
        graph.restore_order(last);
        loop {
            let mut sources = std::mem::take(&mut self.sources);
            let next = next_sources(graph, last, &mut sources);
            let found = next.map(|()| self.reads(graph, last, &sources));
            self.sources = sources;
            match found {
                None => return false,
                Some(Older::Reads) => return true,
                Some(Older::Impossible) if graph.event(last).accesses == 1 => return false,
                Some(Older::Impossible | Older::Sleeps) => {}
            }
        }
    }

    /// Makes the last event read from these sources, if it can.
    fn reads(&mut self, graph: &mut Graph, last: u32, sources: &[u32]) -> Older {
        let Event { first, accesses, writes, .. } = *graph.event(last);
        let range = first as usize..(first + accesses) as usize;
        if divides_a_block(graph, last, sources) {
            return Older::Sleeps;
        }
        let mut starts = std::mem::take(&mut self.starts);
        starts.clear();
        let next = (graph.accesses[range.clone()].iter().zip(sources))
            .map(|(access, &source)| graph.write_after(access.place, source))
            .filter(|&next| next != NONE)
            .map(|next| graph.accesses[next as usize].event);
        starts.extend(next);
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
        let place = graph.accesses[first as usize].place;
        if matches!(writes, Writes::Over(expected) if expected.is_some() && graph.value_after(place, sources[0]) == expected)
        {
            // It would write.
            return Older::Sleeps;
        }
        for (access, &source) in graph.accesses[range].iter_mut().zip(sources) {
            access.source = source;
        }
        graph.events[last as usize].what = What::Read;
        graph.moved = [last, NONE];
        graph.set_clock(last);
        graph.order.clear();
        graph.order.extend(&self.before);
        graph.order.push(last);
        graph.order.extend(&self.after);
        graph.splits.push(Split { index: last, follows: self.follows.clone() });
        Older::Reads
    }

    /// Splits the order, without the last event, into what comes after the starts and the rest; false if the last
    /// event would have to come after one of them itself.
    fn split(&mut self, graph: &Graph, last: u32, starts: &[u32], sources: &[u32]) -> bool {
        let &Event { thread, previous, .. } = graph.event(last);
        if previous != NONE && starts.iter().any(|&start| graph.knows(graph.clock(previous), start)) {
            return false;
        }
        self.search += 1;
        self.threads.first(256).fill(false);
        self.after.clear();
        let first = first_to_follow(graph, starts);
        let (before, rest) = graph.order.split_at(first);
        self.before.clear();
        self.before.extend(before.iter().filter(|&&index| index < last));
        self.follows.clear();
        self.follows.resize(self.before.len(), false);
        let mut order = rest.iter().copied().filter(|&index| index < last).peekable();
        let mut block = Vec::new();
        while let Some(index) = order.next() {
            let event = graph.event(index);
            if event.block == 0 {
                let follows = self.follows(graph, index, starts);
                self.put(graph, index, follows);
            } else {
                // All of a block or nothing.
                block.push(index);
                block.extend(std::iter::from_fn(|| order.next_if(|&next| graph.event(next).is_with(event))));
                let follows = block.iter().any(|&index| self.follows(graph, index, starts));
                block.drain(..).for_each(|index| self.put(graph, index, follows));
            }
            if self.threads[thread] {
                return false;
            }
        }
        let follows = |source: u32| self.after.contains(&graph.accesses[source as usize].event);
        !self.threads[thread] && sources.iter().all(|&source| source == NONE || !follows(source))
    }

    /// Whether the event comes after one of the starts, or after what does so, as far as that has been put there.
    fn follows(&self, graph: &Graph, index: u32, starts: &[u32]) -> bool {
        let event = graph.event(index);
        let accesses = graph.accesses_of(index);
        if event.what == What::Leave {
            let source = graph.accesses.get(accesses[0].source as usize);
            return self.threads[event.thread] || source.is_some_and(|source| self.after.contains(&source.event));
        }
        starts.contains(&index)
            || self.threads[event.thread]
            || matches!(event.what, What::Join(other) if self.threads[other])
            || accesses.iter().any(|access| self.conflicts(access, event.writes()))
    }

    /// Puts the event after or before.
    fn put(&mut self, graph: &Graph, index: u32, follows: bool) {
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
                self.flag(access.place as usize, event.writes());
            }
        }
    }

    fn conflicts(&self, access: &Access, writes: bool) -> bool {
        let flags = if writes { &self.touched } else { &self.written };
        flags.get(access.place as usize) == Some(&self.search)
    }

    fn flag(&mut self, place: usize, writes: bool) {
        if self.touched.len() <= place {
            self.touched.resize(place + 1, 0);
            self.written.resize(place + 1, 0);
        }
        self.touched[place] = self.search;
        if writes {
            self.written[place] = self.search;
        }
    }
}

/// Where in the order the first of the starts stands, with all of its block.
fn first_to_follow(graph: &Graph, starts: &[u32]) -> usize {
    let Some(at) = graph.order.iter().position(|index| starts.contains(index)) else { return graph.order.len() };
    let start = graph.event(graph.order[at]);
    let block = graph.order[..at].iter().rev().take_while(|&&index| graph.event(index).is_with(start));
    at - block.count()
}

/// Whether an event can read something older.
enum Older {
    /// It does now.
    Reads,
    /// Not that, and if it has one access, nothing that is older still.
    Impossible,
    /// It would not be what it is: it would wait, or write.
    Sleeps,
}

/// Whether the event would come between events of a block if it read from these sources.
fn divides_a_block(graph: &Graph, last: u32, sources: &[u32]) -> bool {
    graph.accesses_of(last).iter().zip(sources).any(|(access, &source)| {
        let event = |access: u32| graph.accesses.get(access as usize).map(|access| graph.event(access.event));
        let next = event(graph.write_after(access.place, source));
        event(source).zip(next).is_some_and(|(source, next)| source.is_with(next))
    })
}

/// Whether this write, or another one of its block, has overtaken the event.
fn is_settled(graph: &Graph, last: u32, write: u32) -> bool {
    graph.marks.iter().any(|mark| {
        let by = graph.event(mark.by);
        graph.is_of(mark, last) && (mark.by == write || graph.event(write).is_with(by))
    })
}

/// The next combination of sources for the last event; none if there is none. The first one, the last writes, has been
/// tried as the event was added.
fn next_sources(graph: &mut Graph, last: u32, sources: &mut Vec<u32>) -> Option<()> {
    let event = &mut graph.events[last as usize];
    event.tried.older += 1;
    let Event { previous, accesses, tried, .. } = *event;
    let mut number = tried.older as usize;
    sources.clear();
    // Nor than what has overtaken it.
    let settled = |write: u32| match graph.accesses.get(write as usize) {
        Some(access) => is_settled(graph, last, access.event),
        None => false,
    };
    if accesses == 1 {
        // What it cannot read ends the search: nobody has to count the writes.
        let mut chain = graph.chain(graph.accesses_of(last)[0].place);
        if chain.by_ref().take(number).any(settled) {
            return None;
        }
        sources.push(chain.next()?);
        return Some(());
    }
    let known = |write: u32| match graph.accesses.get(write as usize) {
        Some(access) => previous != NONE && graph.knows(graph.clock(previous), access.event),
        None => true,
    };
    for access in graph.accesses_of(last) {
        // Nothing is older than what its thread knows already.
        let length = 1 + graph.chain(access.place).take_while(|&write| !known(write) && !settled(write)).count();
        sources.push(graph.chain(access.place).nth(number % length)?);
        number /= length;
    }
    (number == 0).then_some(())
}
