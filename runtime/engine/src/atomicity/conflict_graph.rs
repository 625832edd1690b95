//! The conflict graph of an execution, edge by edge as the execution goes on, and without what no longer matters.
//!
//! Edges come in any order, so a cycle is looked for with a topological order that is mended locally (Pearce and Kelly,
//! *A dynamic topological sort algorithm for directed acyclic graphs*, 2006): an edge that agrees with the order, as
//! most do, costs nothing. The edge that would close a cycle is reported and left out; so the graph is always acyclic, and
//! every later cycle is one, too, that does without this edge.
//!
//! What no longer matters:
//! 1. A transaction that can get no edge any more and has none that leads to it is on no cycle, ever (as in Velodrome,
//!    Flanagan, Freund and Yi, PLDI 2008). It goes at once, and its edges with it.
//! 2. A transaction that can get no edge in either direction is only a way from one to another: it goes when the graph
//!    has doubled ([`ConflictGraph::sweep`]), and paths through it become single edges that remember the way. Such a way
//!    enters and leaves each thread a bounded number of times ([`ConflictPath::shorten`]).
//!
//! So the graph is as large as the number of transactions that a new edge may start from: the open ones, the last ones
//! of each thread, and those that accessed some location last.
//!
//! Invariants: `order` numbers the nodes topologically; `into` of a node holds exactly the nodes that have it in `out`,
//! once each.

use super::violation::{Delay, Edge, Transaction, Violation};
use crate::event::{EventIndex, Location, Thread};

/// A reference to a node, valid for as long as the node is in the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeRef {
    slot: u32,
    generation: u32,
}

/// The time at which an end of an edge took effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    /// The event that took effect.
    pub(super) event: EventIndex,
    /// The last event that had been issued by then, if the event is a store that did not commit at once.
    pub(super) after: Option<EventIndex>,
    /// The number of steps that the execution had made by then, commits included.
    pub(super) step: u64,
}

/// A conflict between two events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    pub(super) from: Moment,
    pub(super) to: Moment,
    /// The location, if both events are of the same thread and conflict because of it.
    pub(super) location: Option<Location>,
}

/// The events that stand for a transaction within its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Ends {
    /// An event that conflicts with all earlier ones of the thread.
    after_all: Option<Moment>,
    /// An event that conflicts with all later ones of the thread.
    before_all: Option<Moment>,
}

/// A transaction on a path, and the conflict by which the path leaves it.
#[derive(Clone, Copy, Debug)]
struct Passage {
    transaction: Transaction,
    ends: Ends,
    conflict: Conflict,
}

/// A path: the conflict that leaves its first node, and the transactions behind that node.
#[derive(Clone, Debug)]
struct ConflictPath {
    first: Conflict,
    stops: Vec<Passage>,
}

#[derive(Clone, Debug)]
struct Link {
    to: u32,
    way: ConflictPath,
}

#[derive(Debug)]
struct TransactionNode {
    generation: u32,
    transaction: Transaction,
    ends: Ends,
    /// The number of reasons why the transaction may yet get an edge that leads to it: that it is open, and each of its stores
    /// that waits.
    holds: u32,
    order: u64,
    out: Vec<Link>,
    into: Vec<u32>,
    /// The nodes whose edge to this one would have closed a cycle.
    refused: Vec<NodeRef>,
    /// Whether the slot is in use.
    is_live: bool,
    /// The last sweep or search that came to the node.
    mark: u64,
}

/// The conflict graph of an execution.
#[derive(Debug, Default)]
pub(super) struct ConflictGraph {
    nodes: Vec<TransactionNode>,
    free: Vec<u32>,
    live: usize,
    next_order: u64,
    marks: u64,
    /// The number of nodes at which the next sweep is due.
    sweep_at: usize,
    /// For a search, the node from which each node was reached, and the edge; valid for marked nodes.
    reached_by: Vec<(u32, usize)>,
}

/// The number of nodes below which a graph is not worth a sweep.
const SMALL: usize = 256;

impl ConflictGraph {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        for slot in 0..self.nodes.len() {
            if self.nodes[slot].is_live {
                self.recycle(slot);
            }
        }
        self.sweep_at = SMALL;
        self.next_order = 0;
    }

    /// Returns how many nodes there are.
    pub(super) const fn len(&self) -> usize {
        self.live
    }

    /// Adds a node, which is held once, and returns it.
    pub(super) fn add(&mut self, transaction: Transaction) -> NodeRef {
        self.live += 1;
        let order = self.next_order;
        self.next_order += 1;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.nodes.push(TransactionNode {
                generation: 0,
                transaction,
                ends: Ends::default(),
                holds: 0,
                order: 0,
                out: Vec::new(),
                into: Vec::new(),
                refused: Vec::new(),
                is_live: false,
                mark: 0,
            });
            self.reached_by.push((0, 0));
            u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 transactions at a time")
        });
        let node = &mut self.nodes[slot as usize];
        (node.transaction, node.ends, node.holds, node.order, node.is_live) =
            (transaction, Ends::default(), 1, order, true);
        NodeRef { slot, generation: node.generation }
    }

    /// Returns the thread of a node that is in the graph.
    pub(super) fn thread(&self, node: NodeRef) -> Thread {
        self.nodes[node.slot as usize].transaction.thread
    }

    fn find(&self, node: NodeRef) -> Option<u32> {
        let found = &self.nodes[node.slot as usize];
        (found.is_live && found.generation == node.generation).then_some(node.slot)
    }

    /// Holds a node that is held already once more.
    pub(super) fn hold(&mut self, node: NodeRef) {
        self.nodes[node.slot as usize].holds += 1;
    }

    /// Lets go of a node that is held.
    pub(super) fn release(&mut self, node: NodeRef) {
        let slot = node.slot as usize;
        self.nodes[slot].holds -= 1;
        self.drop_if_first(slot);
    }

    /// Notes that an event of the node, which is held, conflicts with all earlier ones of its thread.
    pub(super) fn set_after_all(&mut self, node: NodeRef, moment: Moment) {
        self.nodes[node.slot as usize].ends.after_all.get_or_insert(moment);
    }

    /// Notes that an event of the node, which is held, conflicts with all later ones of its thread.
    pub(super) fn set_before_all(&mut self, node: NodeRef, moment: Moment) {
        self.nodes[node.slot as usize].ends.before_all = Some(moment);
    }

    /// Adds an edge to a node that is held, unless the other node is gone or the same. If the edge would close a cycle, it is
    /// left out, and the cycle is returned, once for each pair of nodes.
    pub(super) fn connect(&mut self, from: NodeRef, to: NodeRef, conflict: Conflict) -> Option<Violation> {
        let (source, target) = (self.find(from)?, to.slot);
        if source == target || self.nodes[target as usize].refused.contains(&from) {
            return None;
        }
        let (out, into) = (&self.nodes[source as usize].out, &self.nodes[target as usize].into);
        let exists =
            if out.len() < into.len() { out.iter().any(|link| link.to == target) } else { into.contains(&source) };
        if exists {
            return None;
        }
        if self.nodes[source as usize].order > self.nodes[target as usize].order && !self.reorder(source, target) {
            self.nodes[target as usize].refused.push(from);
            return Some(self.cycle(source, target, conflict));
        }
        self.link(source, Link { to: target, way: ConflictPath { first: conflict, stops: Vec::new() } });
        None
    }

    fn link(&mut self, source: u32, link: Link) {
        self.nodes[link.to as usize].into.push(source);
        self.nodes[source as usize].out.push(link);
    }

    /// Mends the order for an edge from `source` to `target`, which comes before it. Returns false if there is a path from
    /// `target` to `source`, which is then in `reached_by`.
    fn reorder(&mut self, source: u32, target: u32) -> bool {
        let (low, high) = (self.nodes[target as usize].order, self.nodes[source as usize].order);
        self.marks += 1;
        let mark = self.marks;
        let mut after = vec![target];
        self.nodes[target as usize].mark = mark;
        let mut next = 0;
        while let Some(&slot) = after.get(next) {
            next += 1;
            for index in 0..self.nodes[slot as usize].out.len() {
                let to = self.nodes[slot as usize].out[index].to;
                let node = &mut self.nodes[to as usize];
                if node.order <= high && node.mark != mark {
                    node.mark = mark;
                    self.reached_by[to as usize] = (slot, index);
                    if to == source {
                        return false;
                    }
                    after.push(to);
                }
            }
        }
        let mut before = vec![source];
        self.nodes[source as usize].mark = mark;
        let mut next = 0;
        while let Some(&slot) = before.get(next) {
            next += 1;
            for index in 0..self.nodes[slot as usize].into.len() {
                let from = self.nodes[slot as usize].into[index];
                let node = &mut self.nodes[from as usize];
                if node.order >= low && node.mark != mark {
                    node.mark = mark;
                    before.push(from);
                }
            }
        }
        let by_order =
            |graph: &Self, slots: &mut Vec<u32>| slots.sort_unstable_by_key(|&slot| graph.nodes[slot as usize].order);
        by_order(self, &mut before);
        by_order(self, &mut after);
        before.append(&mut after);
        let mut orders: Vec<u64> = before.iter().map(|&slot| self.nodes[slot as usize].order).collect();
        orders.sort_unstable();
        for (slot, order) in before.into_iter().zip(orders) {
            self.nodes[slot as usize].order = order;
        }
        true
    }

    /// Returns the cycle that the path from `target` to `source` in `reached_by` and the conflict back make.
    fn cycle(&self, source: u32, target: u32, conflict: Conflict) -> Violation {
        let mut links = Vec::new();
        let mut slot = source;
        while slot != target {
            let (from, index) = self.reached_by[slot as usize];
            links.push((from, &self.nodes[from as usize].out[index].way));
            slot = from;
        }
        let node = &self.nodes[source as usize];
        let mut stops = vec![Passage { transaction: node.transaction, ends: node.ends, conflict }];
        let mut way = ConflictPath { first: conflict, stops: Vec::new() };
        for (from, link) in links.into_iter().rev() {
            let node = &self.nodes[from as usize];
            way.stops.push(Passage { transaction: node.transaction, ends: node.ends, conflict: link.first });
            way.stops.extend(link.stops.iter().copied());
        }
        way.shorten();
        stops.extend(way.stops);
        violation(&stops)
    }

    fn drop_if_first(&mut self, slot: usize) {
        let mut candidates = vec![slot];
        while let Some(slot) = candidates.pop() {
            let node = &self.nodes[slot];
            if !node.is_live || node.holds > 0 || !node.into.is_empty() {
                continue;
            }
            for link in std::mem::take(&mut self.nodes[slot].out) {
                self.forget_into(link.to, slot);
                candidates.push(link.to as usize);
            }
            self.recycle(slot);
        }
    }

    fn forget_into(&mut self, of: u32, slot: usize) {
        let into = &mut self.nodes[of as usize].into;
        let place = into.iter().position(|&from| from as usize == slot).expect("the two ends of an edge know it");
        into.swap_remove(place);
    }

    fn recycle(&mut self, slot: usize) {
        let node = &mut self.nodes[slot];
        node.is_live = false;
        node.generation = node.generation.wrapping_add(1);
        node.out.clear();
        node.into.clear();
        node.refused.clear();
        self.live -= 1;
        self.free.push(slot as u32);
    }

    /// Whether the graph has grown enough for a sweep.
    pub(super) const fn is_sweep_due(&self) -> bool {
        self.live > self.sweep_at
    }

    /// Takes out all nodes that are not held and not among `sources`, from which alone new edges may start.
    pub(super) fn sweep(&mut self, sources: impl Iterator<Item = NodeRef>) {
        self.marks += 1;
        let mark = self.marks;
        let mut count = 0;
        for source in sources {
            count += 1;
            if let Some(slot) = self.find(source) {
                self.nodes[slot as usize].mark = mark;
            }
        }
        for slot in 0..self.nodes.len() {
            let node = &self.nodes[slot];
            if node.is_live && node.holds == 0 && node.mark != mark {
                self.bypass(slot);
            }
        }
        self.sweep_at = SMALL.max(2 * self.live).max(count);
    }

    /// Takes out a node, and keeps the paths through it as edges.
    fn bypass(&mut self, slot: usize) {
        let (out, into) = (std::mem::take(&mut self.nodes[slot].out), std::mem::take(&mut self.nodes[slot].into));
        for link in &out {
            self.forget_into(link.to, slot);
        }
        let (transaction, ends) = (self.nodes[slot].transaction, self.nodes[slot].ends);
        for from in into {
            let links = &mut self.nodes[from as usize].out;
            let place = links.iter().position(|link| link.to as usize == slot);
            let first = links.swap_remove(place.expect("the two ends of an edge know it"));
            for second in &out {
                if self.nodes[second.to as usize].into.contains(&from) {
                    continue;
                }
                let mut way = first.way.clone();
                way.stops.push(Passage { transaction, ends, conflict: second.way.first });
                way.stops.extend(second.way.stops.iter().copied());
                way.shorten();
                self.link(from, Link { to: second.to, way });
            }
        }
        self.recycle(slot);
    }
}

impl ConflictPath {
    /// Leaves out what lies between two stops of the same thread that conflict directly.
    fn shorten(&mut self) {
        let mut first = 0;
        while first < self.stops.len() {
            let entry = if first == 0 { self.first.to } else { self.stops[first - 1].conflict.to };
            let last = (first + 1..self.stops.len()).rev();
            let found = last.filter_map(|last| Some((last, self.direct(first, last, entry)?))).next();
            if let Some((last, conflict)) = found {
                self.stops[first].conflict = conflict;
                self.stops.drain(first + 1..last);
            }
            first += 1;
        }
    }

    /// Returns a direct conflict between two stops, of which the first is entered by the event `entry`; none if there is none, or
    /// the two are neighbours already.
    fn direct(&self, first: usize, last: usize, entry: Moment) -> Option<Conflict> {
        let (a, b) = (&self.stops[first], &self.stops[last]);
        // Under TSO a path may lead from a transaction to an earlier one of its thread.
        let is_later = a.transaction.thread == b.transaction.thread && a.transaction.number < b.transaction.number;
        if last == first + 1 || !is_later {
            return None;
        }
        let any = |from, to| Some(Conflict { from, to, location: None });
        if let Some(to) = b.ends.after_all {
            return any(entry, to);
        }
        if let Some(from) = a.ends.before_all {
            return any(from, b.conflict.from);
        }
        // Here the path may be a chain of accesses to one location in one thread.
        let location = a.conflict.location?;
        let chain = &self.stops[first..last];
        let is_chain = chain.iter().all(|stop| stop.conflict.location == Some(location));
        is_chain.then(|| Conflict {
            from: a.conflict.from,
            to: self.stops[last - 1].conflict.to,
            location: Some(location),
        })
    }
}

/// Returns the violation that a cycle is: each stop's conflict leads to the next stop, and the last one's to the first.
fn violation(stops: &[Passage]) -> Violation {
    // Paths may have crossed: cut the cycle down until each transaction comes once.
    let mut simple: Vec<Passage> = Vec::new();
    for &stop in stops {
        if let Some(place) = simple.iter().position(|other| other.transaction == stop.transaction) {
            simple.truncate(place);
        }
        simple.push(stop);
    }
    let moments = simple.iter().flat_map(|stop| [stop.conflict.from, stop.conflict.to]);
    let delayed =
        moments.filter_map(|Moment { event, after, step }| Some((step, Delay { store: event, after: after? })));
    let mut delayed: Vec<(u64, Delay)> = delayed.collect();
    delayed.sort_by_key(|&(step, delay)| (step, delay.store));
    delayed.dedup();
    Violation {
        transactions: simple.iter().map(|stop| stop.transaction).collect(),
        edges: simple.iter().map(|stop| Edge { from: stop.conflict.from.event, to: stop.conflict.to.event }).collect(),
        delays: delayed.into_iter().map(|(_, delay)| delay).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Conflict, ConflictGraph, Moment, NodeRef};
    use crate::atomicity::Transaction;
    use crate::event::Thread;

    const THREADS: usize = 4;

    /// Marsaglia's xorshift64*.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
        }
    }

    /// All transactions and edges, for ever. A transaction has one event, of the same number.
    #[derive(Default)]
    struct Everything {
        graph: ConflictGraph,
        nodes: Vec<NodeRef>,
        threads: Vec<usize>,
        edges: BTreeSet<(usize, usize)>,
        refused: BTreeSet<(usize, usize)>,
        cycles: usize,
    }

    impl Everything {
        fn moment(event: usize) -> Moment {
            Moment { event: event as u32, after: None, step: 0 }
        }

        fn add(&mut self, thread: usize) -> usize {
            let number = self.nodes.len();
            let transaction = Transaction { thread: Thread::from_index(thread), number: number as u32 };
            self.nodes.push(self.graph.add(transaction));
            self.threads.push(thread);
            self.graph.set_after_all(self.nodes[number], Self::moment(number));
            number
        }

        fn reaches(&self, from: usize, to: usize) -> bool {
            let (mut stack, mut seen) = (vec![from], BTreeSet::new());
            while let Some(node) = stack.pop() {
                if node == to {
                    return true;
                }
                if seen.insert(node) {
                    stack.extend(self.edges.range((node, 0)..(node + 1, 0)).map(|&(_, next)| next));
                }
            }
            false
        }

        fn connect(&mut self, from: usize, to: usize) {
            let conflict = Conflict { from: Self::moment(from), to: Self::moment(to), location: None };
            let found = self.graph.connect(self.nodes[from], self.nodes[to], conflict);
            if from == to || self.refused.contains(&(from, to)) {
                assert_eq!(found, None);
                return;
            }
            assert_eq!(found.is_some(), self.reaches(to, from), "{from} to {to}");
            let Some(violation) = found else {
                self.edges.insert((from, to));
                return;
            };
            self.refused.insert((from, to));
            self.cycles += 1;
            assert!(violation.edges.len() >= 2 && violation.edges.len() <= 2 * THREADS + 1, "{violation:?}");
            let mut ends = violation.edges.iter().map(|edge| (edge.from as usize, edge.to as usize));
            assert_eq!(ends.next(), Some((from, to)));
            for (from, to) in ends {
                let in_thread = self.threads[from] == self.threads[to] && from < to;
                assert!(in_thread || self.edges.contains(&(from, to)), "{from} to {to}: {violation:?}");
            }
        }
    }

    /// The graph with all its sweeps finds the cycles that a graph of everything has, and stays small.
    #[test]
    fn what_is_dropped_is_on_no_cycle() {
        let mut cycles = 0;
        for seed in 1..200 {
            let mut random = Random(seed);
            let mut all = Everything::default();
            let mut open: Vec<usize> = (0..THREADS).map(|thread| all.add(thread)).collect();
            let mut sources: Vec<usize> = open.clone();
            for _ in 0..400 {
                let thread = random.below(THREADS);
                match random.below(6) {
                    // Transactions of the first thread are long.
                    0 | 1 if thread > 0 || random.below(20) == 0 => {
                        let old = open[thread];
                        open[thread] = all.add(thread);
                        all.connect(old, open[thread]);
                        all.graph.release(all.nodes[old]);
                        sources.push(open[thread]);
                    }
                    2 => {
                        let gone = random.below(sources.len());
                        if !open.contains(&sources[gone]) {
                            sources.swap_remove(gone);
                        }
                    }
                    3 => all.graph.sweep(sources.iter().map(|&source| all.nodes[source])),
                    _ => all.connect(sources[random.below(sources.len())], open[thread]),
                }
            }
            all.graph.sweep(sources.iter().map(|&source| all.nodes[source]));
            assert!(all.graph.len() <= sources.len(), "only what edges may start from is left");
            cycles += all.cycles;
        }
        assert!(cycles > 1000, "{cycles}");
    }
}
