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
        let first = graph.order.iter().position(|index| starts.contains(index)).unwrap_or(graph.order.len());
        let (before, rest) = graph.order.split_at(first);
        self.before.clear();
        self.before.extend(before.iter().filter(|&&index| index < last));
        self.follows.clear();
        self.follows.resize(self.before.len(), false);
        for &index in rest.iter().filter(|&&index| index < last) {
            let event = graph.event(index);
            let accesses = graph.accesses_of(index);
            let writes = event.writes();
            if event.what == What::Leave {
                let source = graph.accesses.get(accesses[0].source as usize);
                let after =
                    self.threads[event.thread] || source.is_some_and(|source| self.after.contains(&source.event));
                if after { &mut self.after } else { &mut self.before }.push(index);
                self.follows.push(after);
                self.threads[event.thread] |= after;
                continue;
            }
            let follows = starts.contains(&index)
                || self.threads[event.thread]
                || matches!(event.what, What::Join(other) if self.threads[other])
                || accesses.iter().any(|access| self.conflicts(access, writes));
            self.follows.push(follows);
            if !follows {
                self.before.push(index);
                continue;
            }
            self.after.push(index);
            self.threads[event.thread] = true;
            if let What::Create(child) = event.what {
                self.threads[child] = true;
            }
            if self.threads[thread] {
                return false;
            }
            for access in accesses {
                self.flag(access.place as usize, writes);
            }
        }
        let follows = |source: u32| self.after.contains(&graph.accesses[source as usize].event);
        !self.threads[thread] && sources.iter().all(|&source| source == NONE || !follows(source))
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

/// Whether an event can read something older.
enum Older {
    /// It does now.
    Reads,
    /// Not that, and if it has one access, nothing that is older still.
    Impossible,
    /// It would not be what it is: it would wait, or write.
    Sleeps,
}

/// The next combination of sources for the last event; none if there is none. The first one, the last writes, has been
/// tried as the event was added.
fn next_sources(graph: &mut Graph, last: u32, sources: &mut Vec<u32>) -> Option<()> {
    let event = &mut graph.events[last as usize];
    event.tried.older += 1;
    let Event { previous, accesses, tried, .. } = *event;
    let mut number = tried.older as usize;
    sources.clear();
    if accesses == 1 {
        // What it cannot read ends the search: nobody has to count the writes.
        sources.push(graph.chain(graph.accesses_of(last)[0].place).nth(number)?);
        return Some(());
    }
    let known = |write: u32| match graph.accesses.get(write as usize) {
        Some(access) => previous != NONE && graph.knows(graph.clock(previous), access.event),
        None => true,
    };
    // Nor than what has overtaken it.
    let settled = |write: u32| match graph.accesses.get(write as usize) {
        Some(access) => graph.marks.iter().any(|mark| mark.present && mark.at == last && mark.by == access.event),
        None => false,
    };
    for access in graph.accesses_of(last) {
        // Nothing is older than what its thread knows already.
        let length = 1 + graph.chain(access.place).take_while(|&write| !known(write) && !settled(write)).count();
        sources.push(graph.chain(access.place).nth(number % length)?);
        number /= length;
    }
    (number == 0).then_some(())
}
