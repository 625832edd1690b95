//! The explanation why a report of a monitor is a violation: the cycle e′ →hb* prev →po e →c e′, as a chain of real edges, in
//! words. An access e of several bytes may instead come after some x at bytes other than those at which it overtakes e′: e′ →hb*
//! x →c e →c e′.
//!
//! The edges are those of the paper's happens-before: po; rf, co and fr between accesses to a common byte; the order
//! of operations on one synchronisation object; from a creation to the thread's first event and from its last event
//! to the join. Of all chains from e′ to prev, one with the fewest steps is told, where a run of po counts as one.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

use owo_colors::OwoColorize;
use protocol::{Operation, TraceEvent};

use super::columns::event_words;
use super::names::{Threads, short_place};

/// The reason why one event comes before another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Edge {
    /// Both events are of the same thread.
    Po,
    /// The first event writes the value that the second reads.
    Rf,
    /// The second event overwrites the value that the first writes.
    Co,
    /// The second event overwrites the value that the first reads.
    Fr,
    /// Both events operate on the same mutex or other synchronisation object.
    Sync,
    /// The first event creates the thread whose first event the second is.
    Create,
    /// The first event is the last one of a thread, and the second joins that thread.
    Join,
}

/// An edge of a cycle as it is drawn, between events by their indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrow {
    /// The event that comes first.
    pub(crate) from: usize,
    /// The event that comes after it.
    pub(crate) to: usize,
    /// The name of the relation: `po`, `rf`, `co`, `fr`, and so on.
    pub(crate) relation: &'static str,
    /// What the machine makes of it.
    pub(crate) kept: Kept,
}

/// What a machine makes of an edge of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept {
    /// The two take effect in this order.
    Yes,
    /// The two may take effect the other way round.
    No,
    /// The edge is there if the store that it leads to waits for so long; in the execution as it was run it is not.
    IfDelayed,
}

impl Kept {
    /// Returns its name in a page.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kept::Yes => "yes",
            Kept::No => "no",
            Kept::IfDelayed => "if-delayed",
        }
    }
}

/// A step of the chain: an edge, and the event that it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ChainStep {
    edge: Edge,
    event: usize,
}

/// The cycle e′ →hb* prev →po e →c e′, or e′ →hb* x →c e →c e′.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cycle {
    delayed: usize,
    /// The steps from e′ to prev or x, and on to e.
    steps: Vec<ChainStep>,
    previous: usize,
    overtaking: usize,
}

impl Cycle {
    /// Finds a cycle with a shortest chain. Returns none if there is no chain, which a report of a monitor excludes.
    pub(crate) fn find(events: &[TraceEvent], delayed: usize, previous: usize, overtaking: usize) -> Option<Cycle> {
        let steps = match chain(&edges(&events[..=previous.max(delayed)]), delayed, previous) {
            Some(mut steps) => {
                let last = if events[previous].thread == events[overtaking].thread { Edge::Po } else { Edge::Create };
                steps.push(ChainStep { edge: last, event: overtaking });
                steps
            }
            None => beside(events, delayed, overtaking)?,
        };
        Some(Cycle { delayed, steps, previous, overtaking })
    }

    /// Returns all events on the cycle.
    pub(crate) fn events(&self) -> Vec<usize> {
        std::iter::once(self.delayed).chain(self.steps.iter().map(|step| step.event)).collect()
    }

    /// Returns the edges of the cycle. The store that waits is passed by what comes after it in its thread, if the cycle goes on
    /// there.
    pub(crate) fn arrows(&self, events: &[TraceEvent]) -> Vec<Arrow> {
        let chain = self.events();
        let steps = chain.iter().zip(&self.steps).map(|(&from, step)| {
            let passes = from == self.delayed && step.edge == Edge::Po;
            let kept = if passes { Kept::No } else { Kept::Yes };
            Arrow { from, to: step.event, relation: step.edge.name(), kept }
        });
        let relation = if events[self.overtaking].read.is_some() { Edge::Fr } else { Edge::Co };
        let (from, to) = (self.overtaking, self.delayed);
        let closing = Arrow { from, to, relation: relation.name(), kept: Kept::IfDelayed };
        steps.chain([closing]).collect()
    }

    /// Returns the chain in words, one line for each step.
    pub(crate) fn in_words(&self, events: &[TraceEvent], model: &str, threads: Threads) -> String {
        let chain = self.events();
        let whats: Vec<String> = chain.iter().map(|index| what(&events[*index], threads)).collect();
        let wheres: Vec<String> = chain.iter().map(|index| short_place(&events[*index].place)).collect();
        let widest = |cells: &[String]| cells.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        let (what_width, where_width) = (widest(&whats), widest(&wheres));
        let passes_previous = chain.contains(&self.previous);
        let shape =
            if passes_previous { "e′ →hb* prev →po e →c e′" } else { "e′ →hb* x →c e →c e′" };
        let mut text = format!("  {} {shape}\n", "cycle:".bold());
        for (number, index) in chain.iter().enumerate() {
            let (edge, words) = match number.checked_sub(1) {
                None => ("", format!("may still wait in {}'s store buffer", threads.name(events[self.delayed].thread))),
                Some(before) => {
                    let edge = self.steps[before].edge;
                    (edge.name(), edge.words(number, &events[*index], threads))
                }
            };
            let name = if *index == self.delayed {
                "  [e′]"
            } else if *index == self.overtaking {
                "  [e]"
            } else if *index == self.previous {
                "  [prev]"
            } else if !passes_previous && number + 2 == chain.len() {
                "  [x]"
            } else {
                ""
            };
            let _ = writeln!(
                text,
                "  {:>2}. {:<6} {:<where_width$}  {:<what_width$}  {words}{}",
                number + 1,
                edge,
                wheres[number],
                whats[number],
                name.red().bold()
            );
        }
        text.push_str(&self.closing(events, model));
        text
    }

    /// Returns a sentence on the edge of the machine that closes the cycle.
    fn closing(&self, events: &[TraceEvent], model: &str) -> String {
        let overtaking = &events[self.overtaking];
        let last = self.steps.len() + 1;
        let effect = match (overtaking.read, overtaking.written) {
            (Some(_), None) => "read the value from before 1",
            (None, Some(_)) => "be overwritten by 1",
            _ => "read the value from before 1, and be overwritten by 1",
        };
        format!(
            "      {:<6} under {model}, {last} can take place while 1 still waits, and {effect}:\n      \
             {:<6} then {last} comes before 1 as well, and no interleaving explains the execution\n",
            "c", ""
        )
    }
}

impl Edge {
    fn name(self) -> &'static str {
        match self {
            Edge::Po => "po",
            Edge::Rf => "rf",
            Edge::Co => "co",
            Edge::Fr => "fr",
            Edge::Sync => "sync",
            Edge::Create => "create",
            Edge::Join => "join",
        }
    }

    /// Returns the reason why the event comes after step `before`, in words.
    fn words(self, before: usize, event: &TraceEvent, threads: Threads) -> String {
        match self {
            Edge::Po => format!("comes after {before} in {}", threads.name(event.thread)),
            Edge::Rf => format!("reads what {before} wrote"),
            Edge::Co => format!("overwrites what {before} wrote"),
            Edge::Fr => format!("overwrites what {before} read"),
            Edge::Sync => format!("comes after {before} on the same object"),
            Edge::Create => format!("is in the thread that {before} creates"),
            Edge::Join => format!("waits for the thread that ends with {before}"),
        }
    }
}

fn what(event: &TraceEvent, threads: Threads) -> String {
    format!("{} {}", threads.name(event.thread), event_words(event))
}

/// The last write of a byte, and the events that have read it since.
#[derive(Default)]
struct Byte {
    write: Option<usize>,
    reads: Vec<usize>,
}

/// Returns the edges out of each event. Edges within a thread are po alone, to the immediate successor.
fn edges(events: &[TraceEvent]) -> Vec<Vec<ChainStep>> {
    let mut out: Vec<Vec<ChainStep>> = vec![Vec::new(); events.len()];
    let mut last_of_thread: BTreeMap<u32, usize> = BTreeMap::new();
    let mut creator: BTreeMap<u32, usize> = BTreeMap::new();
    let mut objects: BTreeMap<(u64, &str), usize> = BTreeMap::new();
    let mut bytes: BTreeMap<u64, Byte> = BTreeMap::new();
    for (index, event) in events.iter().enumerate() {
        let mut into: Vec<(usize, Edge)> = Vec::new();
        if event.width > 0 {
            into.extend(conflicts(&mut bytes, index, event, |_| false));
        } else if let Operation::Create(child) = event.operation {
            creator.insert(child.0.into(), index);
        } else if let Operation::Join(child) = event.operation {
            into.extend(last_of_thread.get(&child.0.into()).map(|last| (*last, Edge::Join)));
        } else if !event.target.is_empty() {
            into.extend(objects.insert((event.address, &event.target), index).map(|before| (before, Edge::Sync)));
        }
        into.retain(|(from, _)| events[*from].thread != event.thread);
        match last_of_thread.insert(event.thread, index) {
            Some(before) => into.push((before, Edge::Po)),
            None => into.extend(creator.get(&event.thread).map(|creation| (*creation, Edge::Create))),
        }
        into.sort_unstable();
        into.dedup();
        for (from, edge) in into {
            out[from].push(ChainStep { edge, event: index });
        }
    }
    out
}

/// Adds the edges into the event at its bytes, except those that are left out.
fn conflicts(
    bytes: &mut BTreeMap<u64, Byte>,
    index: usize,
    event: &TraceEvent,
    is_left_out: impl Fn(u64) -> bool,
) -> Vec<(usize, Edge)> {
    let mut into = Vec::new();
    let addresses = (0..u64::from(event.width)).map(|offset| event.address.wrapping_add(offset));
    for address in addresses.filter(|&address| !is_left_out(address)) {
        let byte = bytes.entry(address).or_default();
        if event.read.is_some() {
            into.extend(byte.write.map(|write| (write, Edge::Rf)));
        }
        if event.written.is_some() {
            into.extend(byte.write.map(|write| (write, Edge::Co)));
            into.extend(byte.reads.drain(..).map(|read| (read, Edge::Fr)));
            byte.write = Some(index);
        } else {
            byte.reads.push(index);
        }
    }
    into
}

/// Returns a cheapest chain of edges, by a breadth-first search in which going on along po costs nothing. Each run of po comes
/// out as one step.
fn chain(edges: &[Vec<ChainStep>], from: usize, to: usize) -> Option<Vec<ChainStep>> {
    // A state is an event and whether it was reached along po.
    const UNSEEN: usize = usize::MAX;
    let state = |event: usize, along_po: bool| 2 * event + usize::from(along_po);
    let mut cost = vec![UNSEEN; 2 * edges.len()];
    let mut parent: Vec<Option<(usize, Edge)>> = vec![None; 2 * edges.len()];
    let mut queue = VecDeque::from([state(from, false)]);
    cost[state(from, false)] = 0;
    while let Some(here) = queue.pop_front() {
        for step in &edges[here / 2] {
            let po = step.edge == Edge::Po;
            let free = po && here % 2 == 1;
            let next = state(step.event, po);
            let price = cost[here] + usize::from(!free);
            if price < cost[next] {
                cost[next] = price;
                parent[next] = Some((here, step.edge));
                if free { queue.push_front(next) } else { queue.push_back(next) }
            }
        }
    }
    let (direct, along_po) = (state(to, false), state(to, true));
    let mut here = if cost[along_po] < cost[direct] { along_po } else { direct };
    if cost[here] == UNSEEN {
        return None;
    }
    let mut steps: Vec<ChainStep> = Vec::new();
    while let Some((before, edge)) = parent[here] {
        // The chain is walked backwards, so a po step that is followed by a po step is part of that one.
        let merges = edge == Edge::Po && steps.last().is_some_and(|later| later.edge == Edge::Po);
        if !merges {
            steps.push(ChainStep { edge, event: here / 2 });
        }
        here = before;
    }
    steps.reverse();
    Some(steps)
}

/// Returns a shortest chain from e′ to e whose last edge is at bytes that e′ does not write.
///
/// A store of the thread of e′ may have to wait behind e′, and then e does not come after it: it ends the chain only if
/// nothing else does.
fn beside(events: &[TraceEvent], delayed: usize, overtaking: usize) -> Option<Vec<ChainStep>> {
    let (first, e) = (&events[delayed], &events[overtaking]);
    let is_shared = |byte: u64| byte.wrapping_sub(first.address) < u64::from(first.width);
    let mut bytes: BTreeMap<u64, Byte> = BTreeMap::new();
    let mut into: Vec<(usize, Edge)> = Vec::new();
    for (index, event) in events[..=overtaking].iter().enumerate().filter(|(_, event)| event.width > 0) {
        into = conflicts(&mut bytes, index, event, |byte| index == overtaking && is_shared(byte));
    }
    let behind =
        |&(from, _): &(usize, Edge)| events[from].thread == first.thread && events[from].operation == Operation::Store;
    let mut edges = edges(&events[..overtaking]);
    edges.push(Vec::new());
    for ends in [|behind: bool| !behind, |_| true] {
        let mut edges = edges.clone();
        for &(from, edge) in into.iter().filter(|from| events[from.0].thread != e.thread && ends(behind(from))) {
            edges[from].push(ChainStep { edge, event: overtaking });
        }
        if let Some(steps) = chain(&edges, delayed, overtaking) {
            return Some(steps);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use engine::event::Thread;
    use protocol::Operation;

    use super::{ChainStep, Cycle, Edge, chain, edges};
    use crate::report::samples::{access, event, trace};

    fn steps(pairs: &[(Edge, usize)]) -> Vec<ChainStep> {
        pairs.iter().map(|(edge, event)| ChainStep { edge: *edge, event: *event }).collect()
    }

    #[test]
    fn store_buffering() {
        let cycle = Cycle::find(&trace().events, 2, 4, 5).unwrap();
        assert_eq!(cycle.steps, steps(&[(Edge::Po, 3), (Edge::Fr, 4), (Edge::Po, 5)]));
        assert_eq!(cycle.events(), [2, 3, 4, 5]);
    }

    #[test]
    fn runs_of_po_are_one_step_and_the_shortest_chain_wins() {
        let events = [
            access(1, 1, "x", None, Some(1)),
            access(1, 2, "a", None, Some(1)),
            access(1, 3, "b", None, Some(1)),
            access(3, 4, "a", Some(1), None),
            access(3, 5, "c", None, Some(1)),
            access(2, 6, "c", Some(1), None),
            access(2, 7, "b", Some(1), None),
        ];
        let found = chain(&edges(&events), 0, 6).unwrap();
        assert_eq!(found, steps(&[(Edge::Po, 2), (Edge::Rf, 6)]));
        let found = chain(&edges(&events), 0, 5).unwrap();
        assert_eq!(found, steps(&[(Edge::Po, 1), (Edge::Rf, 3), (Edge::Po, 4), (Edge::Rf, 5)]));
    }

    #[test]
    fn locks_creation_and_joins_order() {
        let events = [
            access(1, 1, "x", None, Some(1)),
            event(1, 2, Operation::Unlock, "m"),
            event(2, 3, Operation::Lock, "m"),
            event(2, 4, Operation::Create(Thread(3)), "T3"),
            access(3, 5, "y", None, Some(1)),
            event(0, 6, Operation::Join(Thread(3)), "T3"),
        ];
        let found = chain(&edges(&events), 0, 5).unwrap();
        let expected = [(Edge::Po, 1), (Edge::Sync, 2), (Edge::Po, 3), (Edge::Create, 4), (Edge::Join, 5)];
        assert_eq!(found, steps(&expected));
    }

    #[test]
    fn accesses_conflict_by_bytes() {
        let mut wide = access(1, 1, "x", None, Some(1));
        wide.width = 8;
        let mut inside = access(2, 2, "x", Some(1), None);
        inside.address += 6;
        inside.width = 1;
        let mut beside = inside.clone();
        beside.address += 2;
        assert_eq!(chain(&edges(&[wide.clone(), inside]), 0, 1), Some(steps(&[(Edge::Rf, 1)])));
        assert_eq!(chain(&edges(&[wide, beside]), 0, 1), None);
    }

    #[test]
    fn an_access_comes_after_one_half_and_overtakes_the_other() {
        let store = |line, offset: u64| {
            let mut store = access(1, line, "x", None, Some(1));
            (store.address, store.width) = (store.address + offset, 4);
            store
        };
        let mut load = access(2, 9, "x", Some(1), None);
        load.width = 8;
        let created = access(2, 8, "y", Some(0), None);
        let events = [created.clone(), store(1, 0), store(2, 4), load.clone()];
        let cycle = Cycle::find(&events, 1, 0, 3).unwrap();
        assert_eq!(cycle.steps, steps(&[(Edge::Po, 2), (Edge::Rf, 3)]));
        // Another thread's access is a better x than a store of the thread whose store is delayed.
        let mut other = store(3, 4);
        other.thread = 3;
        let events = [created.clone(), store(1, 0), access(1, 4, "z", Some(0), None)];
        let events = [&events[..], &[access(3, 5, "z", None, Some(1)), other, load.clone()]].concat();
        let cycle = Cycle::find(&events, 1, 0, 5).unwrap();
        assert_eq!(cycle.steps, steps(&[(Edge::Po, 2), (Edge::Fr, 3), (Edge::Po, 4), (Edge::Rf, 5)]));
        // At the bytes of e′ itself there is none.
        assert_eq!(Cycle::find(&[created, store(1, 0), load], 1, 0, 2), None);
    }

    #[test]
    fn overwriting_and_reading_before_order() {
        let events = [
            access(1, 1, "x", None, Some(1)),
            access(2, 2, "x", None, Some(2)),
            access(3, 3, "x", Some(2), None),
            access(1, 4, "x", None, Some(3)),
        ];
        assert_eq!(chain(&edges(&events), 0, 1), Some(steps(&[(Edge::Co, 1)])));
        assert_eq!(chain(&edges(&events), 1, 3), Some(steps(&[(Edge::Co, 3)])));
        assert_eq!(chain(&edges(&events), 2, 3), Some(steps(&[(Edge::Fr, 3)])));
    }
}
