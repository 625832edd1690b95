//! Reading something older: an event that only reads moves before the writes that come after what it reads then.

use super::graph::{Access, Event, Graph, NONE, What, Writes};
use super::overtaking::is_awake;
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
}

impl Closure {
    /// Makes the last event read something older than it has before; false if all has been tried.
    pub(super) fn read_older(&mut self, graph: &mut Graph, last: u32) -> bool {
        if graph.event(last).writes() {
            graph.fails(last);
        }
        loop {
            let event = &mut graph.events[last as usize];
            event.tried.older += 1;
            let Event { first, accesses, writes, tried, .. } = *event;
            let range = first as usize..(first + accesses) as usize;
            let Some(sources) = sources(graph, &graph.accesses[range.clone()], tried.older) else { return false };
            let starts: Vec<u32> = (graph.accesses[range.clone()].iter().zip(&sources))
                .map(|(access, &source)| graph.write_after(access.place, source))
                .filter(|&next| next != NONE)
                .map(|next| graph.accesses[next as usize].event)
                .collect();
            if !self.split(graph, last, &starts, &sources) {
                if accesses == 1 {
                    return false;
                }
                continue;
            }
            if !is_awake(graph, &graph.accesses[range.clone()], sources.iter().copied()) {
                continue;
            }
            let place = graph.accesses[first as usize].place;
            if matches!(writes, Writes::Over(expected) if expected.is_some() && graph.value_after(place, sources[0]) == expected)
            {
                // It would write.
                continue;
            }
            for (access, source) in graph.accesses[range].iter_mut().zip(sources) {
                access.source = source;
            }
            graph.events[last as usize].what = What::Read;
            graph.set_clock(last);
            graph.order.clear();
            graph.order.extend(&self.before);
            graph.order.push(last);
            graph.order.extend(&self.after);
            return true;
        }
    }

    /// Splits the order, without the last event, into what comes after the starts and the rest; false if the last
    /// event would have to come after one of them itself.
    fn split(&mut self, graph: &Graph, last: u32, starts: &[u32], sources: &[u32]) -> bool {
        self.search += 1;
        self.threads.first(256).fill(false);
        self.before.clear();
        self.after.clear();
        for &index in graph.order.iter().filter(|&&index| index < last) {
            let event = graph.event(index);
            let accesses = graph.accesses_of(index);
            let writes = event.writes();
            let follows = starts.contains(&index)
                || self.threads[event.thread]
                || matches!(event.what, What::Join(other) if self.threads[other])
                || accesses.iter().any(|access| self.conflicts(access, writes));
            if !follows {
                self.before.push(index);
                continue;
            }
            self.after.push(index);
            self.threads[event.thread] = true;
            if let What::Create(child) = event.what {
                self.threads[child] = true;
            }
            for access in accesses {
                self.flag(access.place as usize, writes);
            }
        }
        !self.threads[graph.event(last).thread]
            && sources
                .iter()
                .all(|&source| source == NONE || !self.after.contains(&graph.accesses[source as usize].event))
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

/// The combination of sources with this number: 0 stands for the last write of each place.
fn sources(graph: &Graph, accesses: &[Access], mut number: u32) -> Option<Vec<u32>> {
    let mut sources = Vec::new();
    for access in accesses {
        let chain = graph.chain(access.place);
        let length = u32::try_from(chain.len()).ok()?;
        sources.push(chain[(number % length) as usize]);
        number /= length;
    }
    (number == 0).then_some(sources)
}
