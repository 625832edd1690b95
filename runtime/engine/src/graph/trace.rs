//! A trace: committed accesses, with po, rf and co.
//!
//! A node is one read or one write; the two of a read-modify-write are two nodes. Nodes are numbered in the order in
//! which they were committed. The writes that locations start with are no nodes: nothing comes before them, so they are
//! in no cycle.
//!
//! A write's *rank* is its place in the coherence order of its location, from 1; a read's is that of the write that it
//! reads from, 0 if that is the initial one. Then co, rf and fr, and all paths along them, are comparisons of ranks.
//!
//! Where a model lets a store be *forwarded*, a read may read from a store of its own thread that is not committed yet.
//! It has no rank until that is ([`Trace::is_forwarded`]), and is in no path along co, rf and fr.

use super::set::Set;
use super::{EventId, Fences, Value};
use crate::event::Location;

/// The part of an access that a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The node is a read, and reads from this write; none is the initial one.
    Read(Option<usize>),
    /// The node is a plain write.
    Write,
    /// The node is the write of a read-modify-write, whose read is the node before it.
    AtomicWrite,
    /// The node is the write of a read-modify-write, and waits in the store buffer.
    BufferedWrite,
    /// The node is the write of a read-modify-write, and takes effect at once, but waits for no store before it.
    ApartWrite,
}

impl Part {
    /// Whether the node is the write of a read-modify-write.
    #[must_use]
    pub const fn updates(self) -> bool {
        matches!(self, Self::AtomicWrite | Self::BufferedWrite | Self::ApartWrite)
    }

    /// Whether the node waits in the store buffer.
    #[must_use]
    pub const fn is_buffered(self) -> bool {
        matches!(self, Self::Write | Self::BufferedWrite)
    }

    /// Whether, under total store order, the node waits for the stores of its thread before it, as a store does.
    #[must_use]
    pub const fn follows_stores(self) -> bool {
        matches!(self, Self::Write | Self::AtomicWrite | Self::BufferedWrite)
    }
}

/// A committed read or write.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The access that the node is, or is a part of.
    pub event: EventId,
    /// The part of the access that the node is.
    pub part: Part,
    /// The location.
    pub location: Location,
    /// The value that is read or written.
    pub value: Value,
    /// The rank, as the module describes it; 0 for a read that has none yet.
    pub rank: u16,
    /// The fences of the thread before the node.
    pub fences: Fences,
}

impl Node {
    /// Whether the node is a write.
    #[must_use]
    pub const fn writes(&self) -> bool {
        !matches!(self.part, Part::Read(_))
    }

    /// Whether there is a path along rf, co and fr from this node to another one at the same location.
    #[must_use]
    pub const fn communicates(&self, to: &Self) -> bool {
        let equal = self.writes() && !to.writes();
        self.rank < to.rank || (equal && self.rank == to.rank)
    }

    /// Whether the other node comes before this one in program order.
    #[must_use]
    pub fn is_after(&self, other: &Self) -> bool {
        self.event.thread == other.event.thread
            && (other.event.index < self.event.index
                || (other.event.index == self.event.index && !other.writes() && self.writes()))
    }
}

/// The relations rf and co between events: two traces of a program are the same if these are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Relations {
    /// The reads, each with the write that it reads from; none for the initial write.
    pub reads_from: Vec<(EventId, Option<EventId>)>,
    /// The writes to each location, in coherence order.
    pub coherence: Vec<Vec<EventId>>,
}

/// The nodes of an event, which have successive numbers.
#[derive(Clone, Copy, Debug)]
struct Nodes {
    first: u16,
    count: u16,
}

/// A trace: the committed accesses of an execution graph.
#[derive(Debug, Default)]
pub struct Trace<const W: usize> {
    nodes: Vec<Node>,
    /// The nodes that had to be committed before each node: the commit-before order.
    before: Vec<Set<W>>,
    /// The writes to each location in coherence order.
    coherence: Vec<Vec<u16>>,
    of_location: Vec<Set<W>>,
    of_thread: Vec<Set<W>>,
    writes: Set<W>,
    /// The reads from stores of their threads that are not committed yet, with these stores.
    forwarded: Vec<(u16, EventId)>,
    committed: Vec<Vec<Option<Nodes>>>,
    /// The committed accesses of each thread, by their numbers in program order.
    committed_of: Vec<Set<W>>,
}

impl<const W: usize> Trace<W> {
    /// Returns an empty trace.
    #[must_use]
    pub fn new(threads: usize, locations: usize) -> Self {
        Self {
            coherence: vec![Vec::new(); locations],
            of_location: vec![Set::EMPTY; locations],
            of_thread: vec![Set::EMPTY; threads],
            committed: vec![Vec::new(); threads],
            committed_of: vec![Set::EMPTY; threads],
            ..Self::default()
        }
    }

    /// Makes room for this many threads and locations.
    pub fn grow(&mut self, threads: usize, locations: usize) {
        if self.coherence.len() < locations {
            self.coherence.resize(locations, Vec::new());
            self.of_location.resize(locations, Set::EMPTY);
        }
        if self.committed.len() < threads {
            self.committed.resize(threads, Vec::new());
            self.committed_of.resize(threads, Set::EMPTY);
            self.of_thread.resize(threads, Set::EMPTY);
        }
    }

    /// Returns the nodes, in the order in which they were committed.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns a node.
    ///
    /// # Panics
    /// If there is none with this number, as for all methods that take one.
    #[inline]
    #[must_use]
    pub fn node(&self, node: usize) -> &Node {
        &self.nodes[node]
    }

    /// Returns the nodes of an event: none if it is not committed.
    #[must_use]
    pub fn nodes_of(&self, event: EventId) -> std::ops::Range<usize> {
        let found = self.committed[usize::from(event.thread)].get(usize::from(event.index)).copied().flatten();
        found.map_or(0..0, |nodes| usize::from(nodes.first)..usize::from(nodes.first + nodes.count))
    }

    /// Whether an event is committed.
    #[must_use]
    pub fn is_committed(&self, event: EventId) -> bool {
        !self.nodes_of(event).is_empty()
    }

    /// Returns the committed accesses of a thread, by their numbers in program order.
    #[must_use]
    pub fn committed_of(&self, thread: usize) -> &Set<W> {
        &self.committed_of[thread]
    }

    /// Returns the write of an event, if it is committed and writes.
    #[must_use]
    pub fn write_of(&self, event: EventId) -> Option<usize> {
        self.nodes_of(event).find(|&node| self.nodes[node].writes())
    }

    /// Returns the writes to a location in coherence order.
    #[must_use]
    pub fn coherence(&self, location: Location) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        self.coherence[location.index()].iter().map(|&node| usize::from(node))
    }

    /// Returns how many locations there is room for.
    #[must_use]
    pub fn locations(&self) -> usize {
        self.coherence.len()
    }

    /// Returns the nodes at a location.
    #[must_use]
    pub fn at(&self, location: Location) -> &Set<W> {
        &self.of_location[location.index()]
    }

    /// Returns the nodes of a thread.
    #[must_use]
    pub fn of_thread(&self, thread: u16) -> &Set<W> {
        &self.of_thread[usize::from(thread)]
    }

    /// Returns all writes.
    #[must_use]
    pub fn writes(&self) -> &Set<W> {
        &self.writes
    }

    /// Returns what is commit-before a node.
    #[must_use]
    pub fn before(&self, node: usize) -> &Set<W> {
        &self.before[node]
    }

    /// Returns the write that has this rank at a location; none for 0, the initial one.
    #[must_use]
    pub fn ranked(&self, location: Location, rank: usize) -> Option<usize> {
        rank.checked_sub(1).map(|place| usize::from(self.coherence[location.index()][place]))
    }

    /// Returns the least rank that an access may have without breaking coherence with the committed accesses before it in program
    /// order. A write must have a larger one.
    #[must_use]
    pub fn floor(&self, event: EventId, location: Location) -> usize {
        let same = self.of_location[location.index()].and(&self.of_thread[usize::from(event.thread)]);
        let earlier = same.iter().map(|node| &self.nodes[node]).filter(|node| node.event.index < event.index);
        earlier.map(|node| usize::from(node.rank)).max().unwrap_or(0)
    }

    /// Returns the read-modify-write that comes right after the write with this rank (0 is the initial one) and writes: nothing else
    /// can then, because it would come between its two parts.
    #[must_use]
    pub fn update_behind(&self, location: Location, rank: usize) -> Option<usize> {
        let next = usize::from(*self.coherence[location.index()].get(rank)?);
        self.nodes[next].part.updates().then_some(next)
    }

    /// Commits a node. `before` holds what is commit-before it. A write is put at its rank, and the ranks of the writes behind it
    /// grow by one.
    ///
    /// # Panics
    /// If there are more nodes than a `Set<W>` can hold.
    pub fn commit(&mut self, node: Node, before: Set<W>) {
        let number = self.nodes.len();
        let small = u16::try_from(number).expect("fewer than 65536 nodes");
        let location = node.location.index();
        if node.writes() {
            for other in self.of_location[location].iter() {
                let other = &mut self.nodes[other];
                other.rank += u16::from(other.rank >= node.rank);
            }
            self.coherence[location].insert(usize::from(node.rank) - 1, small);
            self.writes.insert(number);
            let nodes = &mut self.nodes;
            self.forwarded.retain(|&(read, store)| {
                if store == node.event {
                    let read = &mut nodes[usize::from(read)];
                    (read.part, read.rank) = (Part::Read(Some(number)), node.rank);
                }
                store != node.event
            });
        }
        let thread = usize::from(node.event.thread);
        let index = usize::from(node.event.index);
        let committed = &mut self.committed[thread];
        if committed.len() <= index {
            committed.resize(index + 1, None);
        }
        self.committed_of[thread].insert(index);
        match &mut committed[index] {
            Some(nodes) => nodes.count += 1,
            nothing => *nothing = Some(Nodes { first: small, count: 1 }),
        }
        self.of_location[location].insert(number);
        self.of_thread[thread].insert(number);
        self.nodes.push(node);
        self.before.push(before);
    }

    /// Takes back the commits of all nodes but the first so many.
    ///
    /// # Panics
    /// If there are more nodes than a `Set<W>` can hold.
    pub fn take_back(&mut self, nodes: usize) {
        while let Some(node) = self.nodes.pop_if(|_| self.before.len() > nodes) {
            self.before.pop();
            let (number, event) = (self.nodes.len(), node.event);
            let (thread, index, location) =
                (usize::from(event.thread), usize::from(event.index), node.location.index());
            self.of_location[location].remove(number);
            self.of_thread[thread].remove(number);
            let nodes = &mut self.committed[thread][index];
            *nodes = nodes.and_then(|nodes| (nodes.count > 1).then_some(Nodes { count: nodes.count - 1, ..nodes }));
            if nodes.is_none() {
                self.committed_of[thread].remove(index);
            }
            if !node.writes() {
                self.forwarded.retain(|&(read, _)| usize::from(read) != number);
                continue;
            }
            self.writes.remove(number);
            self.coherence[location].remove(usize::from(node.rank) - 1);
            for earlier in self.of_location[location].iter() {
                let other = &mut self.nodes[earlier];
                if other.part == Part::Read(Some(number)) {
                    (other.part, other.rank) = (Part::Read(None), 0);
                    self.forwarded.push((u16::try_from(earlier).expect("fewer than 65536 nodes"), event));
                }
                other.rank -= u16::from(other.rank > node.rank);
            }
        }
    }

    /// Commits a read from a store of its own thread that is not committed yet.
    ///
    /// # Panics
    /// If there are more nodes than a `Set<W>` can hold.
    pub fn forward(&mut self, read: Node, before: Set<W>, store: EventId) {
        let number = u16::try_from(self.nodes.len()).expect("fewer than 65536 nodes");
        self.forwarded.push((number, store));
        self.commit(read, before);
    }

    /// Whether a node is a read from a store of its thread that is not committed yet.
    #[must_use]
    pub fn is_forwarded(&self, node: usize) -> bool {
        self.forwarded.iter().any(|&(read, _)| usize::from(read) == node)
    }

    /// Returns rf and co of the trace.
    #[must_use]
    pub fn relations(&self) -> Relations {
        let event = |node: usize| self.nodes[node].event;
        let read = |node: &Node| match node.part {
            Part::Read(source) => Some((node.event, source.map(event))),
            Part::Write | Part::AtomicWrite | Part::BufferedWrite | Part::ApartWrite => None,
        };
        let mut reads_from: Vec<_> = self.nodes.iter().filter_map(read).collect();
        reads_from.sort_unstable();
        let events = |writes: &Vec<u16>| writes.iter().map(|&write| event(write.into())).collect();
        Relations { reads_from, coherence: self.coherence.iter().map(events).collect() }
    }

    /// Returns the nodes that come before a node in program order.
    #[must_use]
    pub fn program_before(&self, node: usize) -> Set<W> {
        let this = &self.nodes[node];
        let mut before = self.of_thread[usize::from(this.event.thread)];
        for other in before.iter() {
            if !this.is_after(&self.nodes[other]) {
                before.remove(other);
            }
        }
        before
    }

    /// Returns the nodes from which a path along rf, co and fr leads to this one.
    #[must_use]
    pub fn communicating_with(&self, node: usize) -> Set<W> {
        let mut from = self.of_location[self.nodes[node].location.index()];
        for other in from.iter() {
            if !self.nodes[other].communicates(&self.nodes[node]) {
                from.remove(other);
            }
        }
        from
    }

    /// Returns the write that a read reads from, if that is one of another thread.
    #[must_use]
    pub fn external_source(&self, read: usize) -> Option<usize> {
        let Part::Read(source) = self.nodes[read].part else { return None };
        source.filter(|&source| self.nodes[source].event.thread != self.nodes[read].event.thread)
    }
}
