//! Models of machines on which a store takes effect for all other threads at once, and may be seen by its own thread before
//! that: what its thread keeps in order and what threads observe of each other may not contradict each other.
//!
//! With lob for what a thread keeps in order ([`Local`]): acyclic(lob ∪ rfe ∪ co ∪ fr). (The parts of co and fr within a
//! thread are in lob.)
//!
//! # Commit-before
//! (lob ∪ rf)⁺ has cycles in allowed traces: a store that has to wait may be forwarded to a load behind it whose value goes
//! out into the world before. So rf counts between threads alone, and a load may read from the last store of its thread to
//! its location before that is committed: cb = (lob ∪ rfe ∪ ctrl ∪ addr;po ∪ src ∪ rr ∪ own)⁺, where
//!
//! - src: what the value of that store depends on comes before the load;
//! - rr: a load comes after those at its location behind that store;
//! - own: a load that reads from another write comes after that store.
//!
//! *It is acyclic in allowed traces.* A cycle leaves each of its threads by an rfe, from a write w. Replace each step that
//! is not in ob = (lob ∪ rfe ∪ co ∪ fr)⁺: what comes before by ctrl, addr;po, or by src of a read-modify-write, is before w by
//! lob; other src are in lob; own is co and rfe; rr from r′ to r: the step into r′ is an rfe from w′, and r reads from w′ too,
//! or from what follows it in co; or it is one of the others, and holds of r. What is left is a cycle of ob.
//!
//! *Nothing gets stuck.* A store may come last in co. A load whose store is not committed reads from that, which orders
//! nothing yet. Any other one may read from the last write in co of those that are before a lob-predecessor of it, that its
//! rr-predecessors read from, and its own store.
//!
//! # How it is checked
//! lob is drawn to a node when it is committed, as it is within commit-before. When a store is committed that has been
//! forwarded, the loads that have read from it come before what follows it in co, which may be there already.

use std::cell::OnceCell;
use std::marker::PhantomData;
use std::rc::Rc;

use super::Model;
use crate::graph::order::Order;
use crate::graph::set::Set;
use crate::graph::trace::{Part, Trace};
use crate::graph::{Access, EventId, Label, Labels};

/// The accesses of a thread whose reads, and those whose writes, are meant, by their numbers in program order.
#[derive(Clone, Copy, Default, Debug)]
pub struct Parts<const W: usize> {
    /// The accesses whose reads are meant.
    pub reads: Set<W>,
    /// The accesses whose writes are meant, among them read-modify-writes that turn out not to write: until that is known, what
    /// may come after their writes waits.
    pub writes: Set<W>,
}

/// The accesses of its thread that come before an access.
#[derive(Clone, Copy, Default, Debug)]
pub struct Before<const W: usize> {
    /// The parts that come before its read.
    pub read: Parts<W>,
    /// The parts that come before its write.
    pub write: Parts<W>,
    /// The reads of its location behind the last store to it. If the machine keeps loads of a location in order, those that do
    /// not read from the same write as the access's read come before that read.
    pub alike: Set<W>,
    /// The accesses that are only commit-before the access.
    pub known: Set<W>,
}

/// The machine of a model, by what its threads keep in order.
pub trait Local: Clone + Default + std::fmt::Debug + 'static {
    /// Whether two loads of a location that read from different writes are in order for every thread.
    const ORDERS_LOADS_OF_A_LOCATION: bool;

    /// Whether the read of a read-modify-write may as well wait for what its write waits for, because the two are one, or because
    /// its write comes before everything behind it.
    fn is_one<const W: usize>(label: &Label<W>) -> bool;

    /// Returns what comes before an access; none if it is not known yet.
    fn before<const W: usize>(labels: &[Label<W>], index: usize) -> Option<Before<W>>;
}

/// What comes before each access of a thread, as far as it was asked for: many states of a search ask the same.
struct Known<L, const W: usize> {
    before: Box<[OnceCell<Option<Box<Before<W>>>>]>,
    machine: PhantomData<L>,
}

impl<L: Local, const W: usize> Known<L, W> {
    /// Returns what is known of the accesses of a thread.
    fn about(labels: &Labels<W>) -> Rc<Self> {
        let nothing = |labels: &[Label<W>]| labels.iter().map(|_| OnceCell::new()).collect();
        labels.found(|labels| Self { before: nothing(labels), machine: PhantomData })
    }

    /// Returns what comes before an access of that thread.
    fn before(&self, labels: &[Label<W>], index: usize) -> Option<&Before<W>> {
        self.before[index].get_or_init(|| L::before(labels, index).map(Box::new)).as_deref()
    }
}

/// The model of a machine of this kind.
#[derive(Debug, Default)]
pub struct Observed<L, const W: usize> {
    order: Order<W>,
    /// The nodes of its thread that each node comes after, by paths.
    local: Vec<Set<W>>,
    machine: PhantomData<L>,
}

impl<L, const W: usize> Clone for Observed<L, W> {
    fn clone(&self) -> Self {
        Self { order: self.order.clone(), local: self.local.clone(), machine: PhantomData }
    }

    fn clone_from(&mut self, source: &Self) {
        self.order.clone_from(&source.order);
        self.local.clone_from(&source.local);
    }
}

impl<L: Local, const W: usize> Observed<L, W> {
    /// Returns the nodes of the last node's thread that come directly before it.
    fn directly_before(trace: &Trace<W>, labels: &Labels<W>) -> Set<W> {
        let number = trace.nodes().len() - 1;
        let node = trace.node(number);
        let known = Known::<L, W>::about(labels);
        let before = known.before(labels, node.event.index.into()).expect("what is committed is known");
        let parts = if node.writes() { &before.write } else { &before.read };
        let event = |index: usize| EventId::new(node.event.thread.into(), index);
        let mut nodes: Set<W> = parts.reads.iter().map(|index| trace.nodes_of(event(index)).start).collect();
        nodes.add(&parts.writes.iter().filter_map(|index| trace.write_of(event(index))).collect());
        if node.part.updates() {
            nodes.insert(number - 1);
        } else if !node.writes() && L::ORDERS_LOADS_OF_A_LOCATION {
            let alike = before.alike.iter().map(|index| trace.nodes_of(event(index)).start);
            nodes.add(&alike.filter(|&other| trace.node(other).rank != node.rank).collect());
        }
        nodes
    }

    /// Returns the nodes that the last one comes after, and before, by communication: rfe, co and fr.
    fn communication(trace: &Trace<W>) -> (Set<W>, Set<W>) {
        let number = trace.nodes().len() - 1;
        let node = trace.node(number);
        let (mut before, mut after) = (Set::EMPTY, Set::EMPTY);
        if trace.is_forwarded(number) {
            return (before, after);
        }
        if let Some(source) = trace.external_source(number) {
            before.insert(source);
        }
        for other in trace.at(node.location).iter().filter(|&other| other != number) {
            let (rank, writes) = (trace.node(other).rank, trace.node(other).writes());
            if node.writes() && rank < node.rank && !trace.is_forwarded(other) {
                before.insert(other);
            } else if writes && node.rank < rank {
                after.insert(other);
            }
        }
        (before, after)
    }
}

/// Returns the reads that read from this write of their own thread and were committed before it.
fn forwarded_from<const W: usize>(trace: &Trace<W>, write: usize) -> Set<W> {
    let node = trace.node(write);
    let own = trace.of_thread(node.event.thread).and(trace.at(node.location)).and(&Set::below(write));
    own.iter().filter(|&read| trace.node(read).part == Part::Read(Some(write))).collect()
}

impl<L: Local, const W: usize> Model<W> for Observed<L, W> {
    type Past = Self;

    const FORWARDS: bool = true;

    fn awaits(labels: &Labels<W>, index: usize) -> Option<Set<W>> {
        let about = Known::<L, W>::about(labels);
        let Before { read, write, alike, known } = about.before(labels, index)?;
        let label = &labels[index];
        let mut awaited = alike.or(known);
        let writes = label.access != Access::Load;
        for parts in [label.access.reads().then_some(read), writes.then_some(write)].iter().flatten() {
            awaited.add(&parts.reads);
            awaited.add(&parts.writes);
        }
        Some(awaited)
    }

    fn admits(&mut self, trace: &Trace<W>, labels: &Labels<W>) -> bool {
        let number = trace.nodes().len() - 1;
        let directly = Self::directly_before(trace, labels);
        let mut local = directly;
        for earlier in directly.iter() {
            local.add(&self.local[earlier]);
        }
        self.local.push(local);
        let (before, after) = Self::communication(trace);
        if self.order.add(directly.or(&before), after).is_err() {
            return false;
        }
        if !trace.node(number).writes() {
            return true;
        }
        forwarded_from(trace, number).iter().all(|read| self.order.put_before(read, &after).is_ok())
    }

    fn waits_as_one(labels: &Labels<W>, index: usize) -> bool {
        let label = &labels[index];
        if !matches!(label.access, Access::Update(_)) || index + 1 == labels.len() || L::is_one(label) {
            return false;
        }
        let about = Known::<L, W>::about(labels);
        let Some(Before { read, write, alike, known }) = about.before(labels, index) else { return true };
        // What decides whether it writes need not be known when it reads.
        let read = read.reads.or(&read.writes).or(alike).or(&known.without(&label.decided_by));
        !write.reads.or(&write.writes).or(&label.decided_by).is_within(&read)
    }

    fn keeps(&self, _trace: &Trace<W>, first: usize, second: usize) -> bool {
        self.local[second].contains(first)
    }
}
