//! The monitor that answers whether one execution is conflict serializable (001-enea-tacas16, sections 3, 4.1 and 4.2;
//! docs/monitors.md, sections 6.1 and 6.2.)
//!
//! Read [`Serializability::event`], then `Serializability::write`. Edges between threads go from the last write to a
//! location, and from the last read of it by each thread since then: all other conflicts follow from these, since a
//! write comes after all that they come from. Edges within a thread are those of [`ProgramOrder`].
//!
//! Deviations from the paper:
//! 1. A load that reads an own store out of the buffer has no edge with commits of other threads that come before that
//!    store's own; the paper's ∥ leaves out those alone that come after the store was issued. The others follow from
//!    the edges of the store (docs/papers.md, erratum F1: it makes no difference).
//! 2. Stores that never commit commit after everything else, in no order among each other.
//! 3. Read-modify-writes, objects, creations and joins, which the paper does not have: see [`crate::atomicity`].

use std::collections::VecDeque;

use super::conflict_graph::{Conflict, ConflictGraph, Moment, NodeRef};
use super::program_order::{Earlier, ProgramOrder, ProgramStep};
use super::transactions::{Change, Mark, Transactions, Unbalanced};
use super::violation::{Transaction, Violation, is_nothing};
use crate::event::{Barrier, Event, EventIndex, Kind, Location, Object, Thread};

/// The question that is asked of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Criterion {
    /// Serializability under SC is asked of an execution whose stores commit at once.
    Sc,
    /// Serializability under TSO is asked of an SC execution, taken as the TSO execution in which every store commits at once.
    TsoAtOnce,
    /// Serializability under TSO is asked of an execution whose stores commit when [`Serializability::commit`] says so.
    Tso,
    /// Equivalence to an SC execution is asked, whatever the transactions are: the write-contraction of section 4.2. Stores
    /// commit when [`Serializability::commit`] says so.
    ScEquivalence,
}

impl Criterion {
    const fn commits_at_once(self) -> bool {
        matches!(self, Self::Sc | Self::TsoAtOnce)
    }

    const fn order(self) -> ProgramOrder<Source> {
        match self {
            Self::Sc | Self::ScEquivalence => ProgramOrder::Total(None),
            Self::TsoAtOnce | Self::Tso => ProgramOrder::TSO,
        }
    }
}

/// An event that later ones may conflict with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Source {
    node: NodeRef,
    moment: Moment,
}

/// The last accesses to a location, or operations on an object.
#[derive(Clone, Debug, Default)]
struct Accesses {
    write: Option<Source>,
    /// The last read of each thread since the last write.
    reads: Vec<(Thread, Source)>,
}

/// A store that waits, and the loads that have read it meanwhile, by location.
#[derive(Clone, Debug)]
struct Pending {
    node: NodeRef,
    event: EventIndex,
    /// The number of steps that the execution had made when the store was issued, itself included.
    issued: u64,
    locations: Vec<Location>,
    read_by: Vec<(Location, Source)>,
}

#[derive(Clone, Debug)]
struct ThreadState {
    order: ProgramOrder<Source>,
    /// The transaction that is open, once it has an event.
    open: Option<NodeRef>,
    /// The number of the transaction that is open.
    number: u32,
    /// The stores of the thread that wait, the oldest first.
    pending: VecDeque<Pending>,
}

/// A monitor of serializability: told an execution step by step, it says which cycles each step closes.
///
/// The edge that closes a cycle is reported once for its two transactions, and then left out.
#[derive(Debug)]
pub struct Serializability {
    criterion: Criterion,
    transactions: Transactions,
    graph: ConflictGraph,
    threads: Vec<ThreadState>,
    locations: Vec<Accesses>,
    objects: Vec<Accesses>,
    /// The locations and objects that this execution has accessed.
    touched: Vec<AccessedThing>,
    events: EventIndex,
    steps: u64,
    earlier: Vec<Earlier<Source>>,
}

/// A location or object that has been accessed.
#[derive(Clone, Copy, Debug)]
enum AccessedThing {
    Location(Location),
    Object(Object),
}

/// The way in which an access relates to others of the same location or object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AccessRelation {
    Reads,
    Writes,
}

impl Serializability {
    /// Makes a monitor for this criterion.
    #[must_use]
    pub fn new(criterion: Criterion) -> Self {
        Self {
            criterion,
            transactions: Transactions::default(),
            graph: ConflictGraph::default(),
            threads: Vec::new(),
            locations: Vec::new(),
            objects: Vec::new(),
            touched: Vec::new(),
            events: 0,
            steps: 0,
            earlier: Vec::new(),
        }
    }

    /// Forgets the last execution; the next event is the first of a new one.
    pub fn begin(&mut self) {
        self.transactions.begin();
        self.graph.clear();
        self.threads.clear();
        for touched in std::mem::take(&mut self.touched) {
            let accesses = match touched {
                AccessedThing::Location(location) => &mut self.locations[location.index()],
                AccessedThing::Object(object) => &mut self.objects[object.index()],
            };
            accesses.write = None;
            accesses.reads.clear();
        }
        self.events = 0;
        self.steps = 0;
    }

    /// Takes a mark of the thread.
    ///
    /// # Errors
    /// If the mark ends a transaction that has not begun. The mark then changes nothing.
    pub fn mark(&mut self, thread: Thread, mark: Mark) -> Result<(), Unbalanced> {
        match self.transactions.mark(thread, mark)? {
            Change::Opened(number) => self.thread(thread).number = number,
            Change::Closed => {
                if let Some(node) = self.thread(thread).open.take() {
                    self.graph.release(node);
                }
            }
            Change::Nothing => {}
        }
        Ok(())
    }

    /// Takes the next event. `locations` are the locations of an access, in ascending order and without duplicates;
    /// empty for an event that is no access. Appends the cycles that it closes.
    pub fn event(&mut self, event: &Event, locations: &[Location], violations: &mut Vec<Violation>) {
        let thread = event.thread;
        if is_nothing(event) {
            self.transactions.single(thread);
            self.events += 1;
            return;
        }
        let (node, is_single) = self.node(thread);
        let moment = Moment { event: self.events, after: None, step: self.steps };
        let source = Source { node, moment };
        if event.before == Barrier::Full {
            self.follow(thread, ProgramStep::Drain, source, violations);
        }
        match event.kind {
            Kind::Load => {
                self.follow(thread, ProgramStep::Load(locations), source, violations);
                self.load(thread, locations, source, violations);
            }
            Kind::Store => self.store(thread, locations, source, violations),
            Kind::Rmw | Kind::CompareAndSwap | Kind::FailedRmw => {
                let effect = if event.kind.writes() { AccessRelation::Writes } else { AccessRelation::Reads };
                self.follow(thread, ProgramStep::Drain, source, violations);
                for &location in locations {
                    self.access(AccessedThing::Location(location), effect, source, violations);
                }
            }
            Kind::Await(_) => {
                self.follow(thread, ProgramStep::Load(locations), source, violations);
                self.load(thread, locations, source, violations);
                self.store(thread, locations, source, violations);
            }
            // This is a full fence, whose effect came with the barrier before it.
            Kind::Fence => {}
            Kind::Share(object) if event.before != Barrier::Full => {
                self.follow(thread, ProgramStep::Load(&[]), source, violations);
                self.access(AccessedThing::Object(object), AccessRelation::Reads, source, violations);
            }
            kind => self.synchronise(thread, kind, source, violations),
        }
        if event.after == Barrier::Full {
            self.follow(thread, ProgramStep::Drain, source, violations);
        }
        if is_single {
            self.graph.release(node);
        }
        self.events += 1;
        self.steps += 1;
        if self.graph.is_sweep_due() {
            self.sweep();
        }
    }

    /// Makes the oldest store of the thread that waits commit; returns false if none waits. Appends the cycles that the commit
    /// closes.
    ///
    /// A store commits by itself no later than when its thread empties its buffer.
    pub fn commit(&mut self, thread: Thread, violations: &mut Vec<Violation>) -> bool {
        let Some(pending) = self.thread(thread).pending.pop_front() else { return false };
        let after = (pending.issued < self.steps).then(|| self.events - 1);
        let moment = Moment { event: pending.event, after, step: self.steps };
        let source = Source { node: pending.node, moment };
        for location in pending.locations {
            self.access(AccessedThing::Location(location), AccessRelation::Writes, source, violations);
        }
        for (location, reader) in pending.read_by {
            self.note(AccessedThing::Location(location), AccessRelation::Reads, thread, reader);
        }
        self.graph.release(pending.node);
        self.steps += 1;
        true
    }

    /// Ends the execution, and appends the cycles of stores that have not committed.
    ///
    /// # Errors
    /// If a thread has not ended its transaction, which counts as ended here.
    pub fn end(&mut self, violations: &mut Vec<Violation>) -> Result<(), Unbalanced> {
        for thread in 0..self.threads.len() {
            for pending in std::mem::take(&mut self.threads[thread].pending) {
                let moment = Moment { event: pending.event, after: Some(self.events - 1), step: self.steps };
                let source = Source { node: pending.node, moment };
                for location in pending.locations {
                    self.meet(AccessedThing::Location(location), AccessRelation::Writes, source, violations);
                }
            }
        }
        self.transactions.end()
    }

    /// Returns how many transactions the monitor keeps at present.
    #[must_use]
    pub const fn transactions(&self) -> usize {
        self.graph.len()
    }

    fn thread(&mut self, thread: Thread) -> &mut ThreadState {
        if thread.index() >= self.threads.len() {
            let order = self.criterion.order();
            let state = ThreadState { order, open: None, number: 0, pending: VecDeque::new() };
            self.threads.resize(thread.index() + 1, state);
        }
        &mut self.threads[thread.index()]
    }

    /// Returns the transaction of the thread's next event, and whether the transaction ends with that event.
    fn node(&mut self, thread: Thread) -> (NodeRef, bool) {
        let single = match self.criterion {
            Criterion::ScEquivalence => Some(self.events),
            _ => self.transactions.single(thread),
        };
        if let Some(number) = single {
            return (self.graph.add(Transaction { thread, number }), true);
        }
        let state = self.thread(thread);
        let (open, number) = (state.open, state.number);
        let node = open.unwrap_or_else(|| self.graph.add(Transaction { thread, number }));
        self.thread(thread).open = Some(node);
        (node, false)
    }

    fn connect(&mut self, from: Source, to: Source, location: Option<Location>, violations: &mut Vec<Violation>) {
        let conflict = Conflict { from: from.moment, to: to.moment, location };
        violations.extend(self.graph.connect(from.node, to.node, conflict));
    }

    /// Adds the edges from earlier events of the thread that program order keeps before the event.
    fn follow(&mut self, thread: Thread, step: ProgramStep<'_>, source: Source, violations: &mut Vec<Violation>) {
        if step == ProgramStep::Drain {
            while self.commit(thread, violations) {}
        }
        let mut earlier = std::mem::take(&mut self.earlier);
        let rank = self.thread(thread).order.follow(step, source, &mut earlier);
        for Earlier { event, location } in earlier.drain(..) {
            self.connect(event, source, location, violations);
        }
        self.earlier = earlier;
        if rank.after_all {
            self.graph.set_after_all(source.node, source.moment);
        }
        if rank.before_all {
            self.graph.set_before_all(source.node, source.moment);
        }
    }

    fn load(&mut self, thread: Thread, locations: &[Location], source: Source, violations: &mut Vec<Violation>) {
        for &location in locations {
            let waiting = &mut self.thread(thread).pending;
            match waiting.iter_mut().rev().find(|pending| pending.locations.contains(&location)) {
                Some(own) => {
                    // The last of the loads that read the same store stands for all of them.
                    own.read_by.retain(|&(other, _)| other != location);
                    own.read_by.push((location, source));
                }
                None => self.access(AccessedThing::Location(location), AccessRelation::Reads, source, violations),
            }
        }
    }

    fn store(&mut self, thread: Thread, locations: &[Location], source: Source, violations: &mut Vec<Violation>) {
        self.follow(thread, ProgramStep::Store(locations), source, violations);
        if self.criterion.commits_at_once() {
            for &location in locations {
                self.access(AccessedThing::Location(location), AccessRelation::Writes, source, violations);
            }
            return;
        }
        self.graph.hold(source.node);
        let pending = Pending {
            node: source.node,
            event: source.moment.event,
            issued: source.moment.step + 1,
            locations: locations.to_vec(),
            read_by: Vec::new(),
        };
        self.thread(thread).pending.push_back(pending);
    }

    fn synchronise(&mut self, thread: Thread, kind: Kind, source: Source, violations: &mut Vec<Violation>) {
        self.follow(thread, ProgramStep::Drain, source, violations);
        match kind {
            Kind::Lock(object) => {
                self.access(AccessedThing::Object(object), AccessRelation::Writes, source, violations);
            }
            Kind::Share(object) => {
                self.access(AccessedThing::Object(object), AccessRelation::Reads, source, violations);
            }
            Kind::Wait { condition, mutex } => {
                for object in [condition, mutex] {
                    self.access(AccessedThing::Object(object), AccessRelation::Writes, source, violations);
                }
            }
            Kind::Create(child) => {
                // The creation counts as the first event of the new thread, too.
                let mut earlier = std::mem::take(&mut self.earlier);
                self.thread(child).order.follow(ProgramStep::Drain, source, &mut earlier);
                earlier.clear();
                self.earlier = earlier;
            }
            Kind::Join(ended) => {
                while self.commit(ended, violations) {}
                let mut earlier = std::mem::take(&mut self.earlier);
                self.thread(ended).order.all(&mut earlier);
                for Earlier { event, .. } in earlier.drain(..) {
                    self.connect(event, source, None, violations);
                }
                self.earlier = earlier;
            }
            _ => {}
        }
    }

    fn access(&mut self, what: AccessedThing, effect: AccessRelation, source: Source, violations: &mut Vec<Violation>) {
        self.meet(what, effect, source, violations);
        let thread = self.graph.thread(source.node);
        self.note(what, effect, thread, source);
    }

    fn accesses(&mut self, what: AccessedThing) -> &mut Accesses {
        let (table, index) = match what {
            AccessedThing::Location(location) => (&mut self.locations, location.index()),
            AccessedThing::Object(object) => (&mut self.objects, object.index()),
        };
        if index >= table.len() {
            table.resize(index + 1, Accesses::default());
        }
        &mut table[index]
    }

    /// Adds the edges that lead to an access.
    fn meet(&mut self, what: AccessedThing, effect: AccessRelation, source: Source, violations: &mut Vec<Violation>) {
        let accesses = self.accesses(what);
        let write = accesses.write;
        if let Some(write) = write {
            self.connect(write, source, None, violations);
        }
        if effect == AccessRelation::Writes {
            for place in 0..self.accesses(what).reads.len() {
                let (_, read) = self.accesses(what).reads[place];
                self.connect(read, source, None, violations);
            }
        }
    }

    /// Notes an access, for later ones.
    fn note(&mut self, what: AccessedThing, effect: AccessRelation, thread: Thread, source: Source) {
        let accesses = self.accesses(what);
        let is_new = accesses.write.is_none() && accesses.reads.is_empty();
        match effect {
            AccessRelation::Reads => match accesses.reads.iter_mut().find(|(reader, _)| *reader == thread) {
                Some((_, read)) => *read = source,
                None => accesses.reads.push((thread, source)),
            },
            AccessRelation::Writes => {
                accesses.write = Some(source);
                accesses.reads.clear();
            }
        }
        if is_new {
            self.touched.push(what);
        }
    }

    fn sweep(&mut self) {
        let accesses = self.touched.iter().map(|touched| match touched {
            AccessedThing::Location(location) => &self.locations[location.index()],
            AccessedThing::Object(object) => &self.objects[object.index()],
        });
        let accesses = accesses.flat_map(|of| of.write.into_iter().chain(of.reads.iter().map(|&(_, read)| read)));
        let threads = self.threads.iter().flat_map(|thread| {
            let readers = thread.pending.iter().flat_map(|pending| pending.read_by.iter().map(|&(_, reader)| reader));
            thread.order.held().chain(readers)
        });
        self.graph.sweep(accesses.chain(threads).map(|source| source.node));
    }
}
