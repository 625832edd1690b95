//! The explorer of relaxed stateless model checking (004-abdulla-cav16, section 3), which visits every allowed trace of a program
//! under a memory model exactly once.
//!
//! Accesses are committed one at a time, each when all that is commit-before it is. [`Exploration::explore`] takes one that
//! can be committed, and tries each place in co for its write, each committed write for its read. For the writes that a
//! read cannot have yet, [`Exploration::detect_races`] makes *continuations* when they are committed: what must come before
//! the write, the write, and the read from it. They are followed ([`Exploration::traverse`]) from where the read was met.
//!
//! Deviations from the paper:
//! 1. P\[e\] and Q\[e\] are a [`Frame`] on the stack of the call that met e. That P\[r\] is a prefix of the run is then that
//!    the run's commit of r names its frame; a commit inside a continuation names none, unless it is the last one, which
//!    the frame's own read makes.
//! 2. The positions of the stores that a continuation keeps are found from the coherence order as it is, and for the
//!    order in which the continuation commits them.
//! 3. Read-modify-writes, which the paper does not have, are committed as one, right behind the write that they read
//!    from. They are met as reads are, and then race as writes do, once for each write that they may read from, since
//!    that, being rf, belongs to what is commit-before them. So their continuations have no `*`.
//! 4. A continuation with a read-modify-write may also be refused before its end, where the paper's can at its end only.
//! 5. Under models that forward ([`Model::FORWARDS`]), which the paper does not have, a load may read from the last store of
//!    its thread to its location, *its own*, before that is committed, and the store is not commit-before it. That it does
//!    is [`Parameter::Own`]. Only in a continuation is the own store perhaps not committed, when it is not commit-before
//!    the load for another reason: otherwise the first access of a thread that is not committed can be, and is before those
//!    behind it, but for stores. So a load has been met behind its own store, and may read from any write from there on.

mod locks;

use std::collections::BTreeSet;

use self::locks::Precedence;
use crate::event::Location;
use crate::graph::set::Set;
use crate::graph::trace::{Node, Part, Trace};
use crate::graph::{Access, EventId, FREE, Internal, Label, Labels, Link, Program, Reached, Value, Written, own_store};
use crate::model::Model;
use crate::model::sc::Sc;
use crate::repair::rebuilt;

/// The counts of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// The number of complete traces.
    pub executions: u64,
    /// The number of accesses of all complete traces together.
    pub events: u64,
    /// The number of continuations that the model refused, and of accesses that could not be committed in any way.
    pub blocked: u64,
}

/// The reason why a search ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended<F> {
    /// The program did something that cannot be run.
    Fault(F),
    /// An execution has more nodes than a `Set<W>` can number.
    TooManyEvents,
    /// The visitor of the traces has seen enough.
    Stopped,
}

/// Whether the search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Continue {
    /// The search goes on with the next trace.
    Yes,
    /// The search stops.
    Stop,
}

/// A complete trace, with what is known of its execution.
#[derive(Debug)]
pub struct CompleteTrace<'s, const W: usize> {
    /// The accesses with rf and co.
    pub trace: &'s Trace<W>,
    /// The values that the reads of each thread returned, by their numbers in program order.
    pub reads: &'s [Vec<Option<Value>>],
    /// The accesses of each thread. Those that are not committed wait for something that no thread does.
    pub labels: &'s [Labels<W>],
    /// How far each thread came.
    pub reached: &'s [Reached],
    /// The origin of each thread: what it ran.
    pub origins: &'s [u32],
    model: &'s dyn AnyModel<W>,
}

impl<const W: usize> CompleteTrace<'_, W> {
    /// Whether the model keeps two accesses of a thread, `first` before `second` in program order, in this order for every
    /// thread, by what is between them in their own. If not, the second may overtake the first.
    #[must_use]
    pub fn keeps(&self, first: EventId, second: EventId) -> bool {
        let trace = self.trace;
        trace.nodes_of(first).any(|one| trace.nodes_of(second).any(|other| self.model.keeps(trace, one, other)))
    }

    /// Whether the model allows this execution if these are the accesses of each thread, which may differ from the actual ones
    /// only in what orders them.
    #[must_use]
    pub fn is_allowed_with(&self, labels: &[Labels<W>]) -> bool {
        self.model.allows(self.trace, labels)
    }

    /// Whether some interleaving is like this execution.
    #[must_use]
    pub fn is_sequentially_consistent(&self) -> bool {
        rebuilt::allows::<W, Sc<W>>(self.trace, self.labels)
    }

    /// Returns all pairs of accesses that race, if the model knows races ([`Model::races`]).
    #[must_use]
    pub fn races(&self) -> Vec<(EventId, EventId)> {
        self.model.races(self.trace)
    }

    /// Returns the nodes that happen before each node, if the model has such an order ([`Model::happens_before`]).
    #[must_use]
    pub fn happens_before(&self) -> Option<Vec<Set<W>>> {
        self.model.happens_before(self.trace)
    }

    /// Whether some read-modify-write waits for more than its read must, so that executions like this one may have been missed
    /// ([`Model::waits_as_one`]).
    #[must_use]
    pub fn has_update_that_waits_as_one(&self) -> bool {
        let waits = |labels: &Labels<W>| (0..labels.len()).any(|index| self.model.waits_as_one(labels, index));
        self.labels.iter().any(waits)
    }
}

/// The questions that are put to any [`Model`].
trait AnyModel<const W: usize>: std::fmt::Debug {
    fn keeps(&self, trace: &Trace<W>, first: usize, second: usize) -> bool;

    fn waits_as_one(&self, labels: &[Label<W>], index: usize) -> bool;

    fn races(&self, trace: &Trace<W>) -> Vec<(EventId, EventId)>;

    fn happens_before(&self, trace: &Trace<W>) -> Option<Vec<Set<W>>>;

    fn allows(&self, trace: &Trace<W>, labels: &[Labels<W>]) -> bool;
}

impl<const W: usize, M: Model<W>> AnyModel<W> for M {
    fn waits_as_one(&self, labels: &[Label<W>], index: usize) -> bool {
        M::waits_as_one(labels, index)
    }

    fn races(&self, trace: &Trace<W>) -> Vec<(EventId, EventId)> {
        Model::races(self, trace)
    }

    fn happens_before(&self, trace: &Trace<W>) -> Option<Vec<Set<W>>> {
        Model::happens_before(self, trace)
    }

    fn keeps(&self, trace: &Trace<W>, first: usize, second: usize) -> bool {
        Model::keeps(self, trace, first, second)
    }

    fn allows(&self, trace: &Trace<W>, labels: &[Labels<W>]) -> bool {
        rebuilt::allows::<W, M>(trace, labels)
    }
}

/// Explores all traces of the program under the model `M`, and gives each to `visit`.
///
/// # Errors
/// [`Ended`], besides what was counted so far.
///
/// # Panics
/// If an access can be committed in no way, or a thread cannot go on: the model or the program then breaks what the search relies
/// on, and traces would be missed.
pub fn explore<const W: usize, M: Model<W>, P: Program<W>>(
    program: &P,
    visit: &mut dyn FnMut(&CompleteTrace<'_, W>) -> Continue,
) -> (Counts, Result<(), Ended<P::Fault>>) {
    let mut search = Exploration::<W, M, P> {
        program,
        visit,
        states: Vec::new(),
        run: Vec::new(),
        frames: Vec::new(),
        counts: Counts::default(),
    };
    let result = State::new(program).map_err(Ended::Fault).and_then(|state| {
        search.states.push(state);
        search.explore()
    });
    (search.counts, result)
}

/// Builds the one trace that these commits give in their order. Each is an event with a number: for a store or a
/// read-modify-write its place among the writes to its location at the time, for a load the rank of the write that it reads from,
/// for a choice the value that it chooses. The trace is given to `visit` if it is complete and allowed; otherwise the inner error
/// says which commit cannot be made, or that one is missing.
///
/// # Errors
/// [`Ended::Fault`], with the program's own error.
pub fn follow<const W: usize, M: Model<W>, P: Program<W>>(
    program: &P,
    commits: &[(EventId, usize)],
    visit: &mut dyn FnMut(&CompleteTrace<'_, W>),
) -> Result<Result<(), usize>, Ended<P::Fault>> {
    let mut state = State::<M, W>::new(program).map_err(Ended::Fault)?;
    for (number, &(event, rank)) in commits.iter().enumerate() {
        let fetched = state.labels.get(usize::from(event.thread)).map_or(0, |labels| labels.len());
        let ready = usize::from(event.index) < fetched && !state.trace.is_committed(event);
        let Some(before) = ready.then(|| state.before(event)).flatten() else { return Ok(Err(number)) };
        if rank > state.last(event) || state.commit(program, event, rank, &before)? == Verdict::Refused {
            return Ok(Err(number));
        }
    }
    let complete = state.enabled(program).is_none() && (0..state.labels.len()).all(|thread| state.is_over(thread));
    if !complete {
        return Ok(Err(commits.len()));
    }
    let State { trace, model, reads, labels, reached, origins } = &state;
    visit(&CompleteTrace { trace, reads, labels, reached, origins, model });
    Ok(Ok(()))
}

/// The parameter of a commit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Parameter {
    /// A store is committed at every place that is allowed.
    Any,
    /// A store is committed after this many of the committed writes to its location; a choice chooses this value.
    Place(u16),
    /// A read reads from the write of this event; none is the initial write.
    Source(Option<EventId>),
    /// A load reads from its own store.
    Own,
}

type Continuation = Vec<(EventId, Parameter)>;

/// A committed access of the run.
#[derive(Clone, Copy, Debug)]
struct Committed {
    event: EventId,
    /// The frame of the call that met it, if it is a read, or in whose place it locks.
    frame: Option<usize>,
}

/// What the alternatives of a frame differ in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Alternatives {
    /// In what the read of the frame reads from.
    Sources,
    /// In who locks next.
    Holders,
}

/// A read that has been met and whose alternatives are being explored.
#[derive(Debug)]
struct Frame {
    alternatives: Alternatives,
    /// P, as the number of accesses that were committed before the read.
    length: usize,
    /// Q, the continuations still to be followed, the last one first.
    waiting: Vec<Continuation>,
    /// All continuations that have ever been in Q.
    known: BTreeSet<Continuation>,
}

/// The state after some commits.
#[derive(Debug, Default)]
struct State<M, const W: usize> {
    trace: Trace<W>,
    model: M,
    /// The accesses of each thread that have been fetched, and in `reached` how far they go.
    labels: Vec<Labels<W>>,
    reached: Vec<Reached>,
    /// The origin of each thread: what it runs.
    origins: Vec<u32>,
    /// The values that the reads of each thread returned.
    reads: Vec<Vec<Option<Value>>>,
}

impl<M: Clone, const W: usize> State<M, W> {
    fn copy_from(&mut self, source: &Self) {
        self.trace.clone_from(&source.trace);
        self.model.clone_from(&source.model);
        self.labels.clone_from(&source.labels);
        self.reached.clone_from(&source.reached);
        self.origins.clone_from(&source.origins);
        self.reads.clone_from(&source.reads);
    }
}

/// The model's answer to a commit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Allowed,
    Refused,
}

impl<const W: usize, M: Model<W>> State<M, W> {
    fn new<P: Program<W>>(program: &P) -> Result<Self, P::Fault> {
        let threads = program.threads();
        let mut state = Self {
            trace: Trace::new(threads, program.locations()),
            model: M::default(),
            labels: vec![Labels::default(); threads],
            reached: vec![Reached::End; threads],
            origins: vec![0; threads],
            reads: vec![Vec::new(); threads],
        };
        for thread in 0..threads {
            state.fetch(program, thread)?;
        }
        Ok(state)
    }

    fn fetch<P: Program<W>>(&mut self, program: &P, thread: usize) -> Result<(), P::Fault> {
        let fetched = program.fetch(thread, self.origins[thread], &self.reads[thread])?;
        (self.labels[thread], self.reached[thread]) = fetched;
        self.trace.grow(self.labels.len(), program.locations());
        Ok(())
    }

    /// Begins a thread.
    fn begin<P: Program<W>>(&mut self, program: &P, thread: usize, origin: u32) -> Result<(), P::Fault> {
        if self.labels.len() <= thread {
            self.labels.resize(thread + 1, Labels::default());
            self.reached.resize(thread + 1, Reached::End);
            self.origins.resize(thread + 1, 0);
            self.reads.resize(thread + 1, Vec::new());
        }
        self.origins[thread] = origin;
        self.fetch(program, thread)
    }

    fn label(&self, event: EventId) -> &Label<W> {
        &self.labels[usize::from(event.thread)][usize::from(event.index)]
    }

    fn location(&self, event: EventId) -> Location {
        self.label(event).location.expect("what can be committed has an address")
    }

    /// Returns the own store of a load, if the load may read from it before it is committed.
    fn own_store(&self, event: EventId) -> Option<EventId> {
        let label = self.label(event);
        if !M::FORWARDS || label.access != Access::Load || label.link != Link::None {
            return None;
        }
        let own = own_store(&self.labels[usize::from(event.thread)], event.index.into())?;
        Some(EventId::new(event.thread.into(), own))
    }

    /// Returns the own store of a load, if it is not committed.
    fn waits_for_own(&self, event: EventId) -> Option<EventId> {
        self.own_store(event).filter(|&store| !self.trace.is_committed(store))
    }

    /// Returns the least rank that an access may have, as far as its own thread goes.
    fn floor(&self, event: EventId, location: Location) -> usize {
        let follows = self.label(event).link == Link::Follows;
        self.trace.floor(event, location).max(usize::from(follows))
    }

    /// Returns the last number with which the event may be committed.
    fn last(&self, event: EventId) -> usize {
        match self.label(event).link {
            Link::Chooses(among) => usize::from(among) - 1,
            _ => self.trace.coherence(self.location(event)).len(),
        }
    }

    /// Returns what is commit-before an event, except for what it reads from; none if it cannot be committed yet.
    fn before(&self, event: EventId) -> Option<Set<W>> {
        let thread = usize::from(event.thread);
        let label = self.label(event);
        if label.link == Link::Follows && self.trace.coherence(label.location?).len() == 0 {
            return None;
        }
        let awaited = M::awaits(&self.labels[thread], event.index.into())?;
        if !awaited.is_within(self.trace.committed_of(thread)) {
            return None;
        }
        let mut before = Set::EMPTY;
        for index in awaited.iter_back() {
            for node in self.trace.nodes_of(EventId::new(thread, index)).rev() {
                // All that is before a node is before what the node is before.
                if !before.contains(node) {
                    before.insert(node);
                    before.add(self.trace.before(node));
                }
            }
        }
        Some(before)
    }

    /// Returns what is commit-before an access that can be committed, except for what it reads from.
    fn ready(&self, event: EventId) -> Set<W> {
        self.before(event).expect("only what can be committed is")
    }

    /// Whether all that is commit-before an access is committed, except for what it reads from.
    fn is_ready(&self, event: EventId) -> bool {
        let thread = usize::from(event.thread);
        let label = self.label(event);
        let follows = label.link == Link::Follows;
        if follows && label.location.is_none_or(|location| self.trace.coherence(location).len() == 0) {
            return false;
        }
        let awaited = M::awaits(&self.labels[thread], event.index.into());
        awaited.is_some_and(|awaited| awaited.is_within(self.trace.committed_of(thread)))
    }

    /// Returns an access that can be committed. Stores go first: a store that is there when a read is met needs no continuation,
    /// and continuations can be refused. (This halves the refusals on litmus tests.)
    fn enabled<P: Program<W>>(&self, program: &P) -> Option<EventId> {
        let mut first: Option<(Precedence, EventId)> = None;
        for (thread, labels) in self.labels.iter().enumerate() {
            let committed = self.trace.committed_of(thread);
            for (index, label) in labels.iter().enumerate().filter(|&(index, _)| !committed.contains(index)) {
                let event = EventId::new(thread, index);
                let precedence = self.precedence(program, label);
                if first.is_none_or(|(least, _)| precedence < least) && self.is_ready(event) {
                    if precedence == Precedence::Store {
                        return Some(event);
                    }
                    first = Some((precedence, event));
                }
                if M::COMMITS_IN_ORDER {
                    break;
                }
            }
        }
        first.map(|(_, event)| event)
    }

    /// Commits an access, given what is commit-before it: a store after `rank` writes, a read from the write with this rank, or a
    /// choice of this number.
    fn commit<P: Program<W>>(
        &mut self,
        program: &P,
        event: EventId,
        rank: usize,
        before: &Set<W>,
    ) -> Result<Verdict, Ended<P::Fault>> {
        let label = *self.label(event);
        let location = self.location(event);
        if self.trace.nodes().len().max(self.model.size(&self.trace)) + 2 > Set::<W>::CAPACITY {
            return Err(Ended::TooManyEvents);
        }
        if let Some(store) = self.waits_for_own(event) {
            return self.forward(program, event, store, *before);
        }
        if rank < self.floor(event, location) {
            return Ok(Verdict::Refused);
        }
        if label.access == Access::Store {
            let Written::Value(value) = label.written else { panic!("a store that can be committed has a value") };
            let verdict = self.write(event, &label, rank, value, *before, Part::Write);
            if let (Verdict::Allowed, Link::Creates { thread, origin }) = (verdict, label.link) {
                self.begin(program, thread.into(), origin).map_err(Ended::Fault)?;
            }
            return Ok(verdict);
        }
        let chosen = matches!(label.link, Link::Chooses(_)).then_some(rank);
        let rank = if chosen.is_some() { 0 } else { rank };
        let source = self.trace.ranked(location, rank);
        let value = match (chosen, source) {
            (Some(chosen), _) => Value::try_from(chosen).expect("fewer than 65536 choices"),
            (None, Some(source)) => self.trace.node(source).value,
            (None, None) => program.initial(location),
        };
        let own = self.own_store(event).and_then(|own| self.trace.write_of(own));
        let before = self.before_read(before, own, source);
        let small = u16::try_from(rank).expect("fewer than 65536 writes");
        let node = Node { event, part: Part::Read(source), location, value, rank: small, fences: label.fences };
        self.trace.commit(node, before);
        if self.read(program, event, value)? == Verdict::Refused {
            return Ok(Verdict::Refused);
        }
        // The label is looked up again, since what stands between the read and the write may depend on what was read.
        let label = *self.label(event);
        match label.written {
            Written::Nothing => Ok(Verdict::Allowed),
            Written::Value(value) => {
                let mut before = before;
                before.insert(self.trace.nodes().len() - 1);
                let part = match label.access {
                    Access::Update(Internal::Buffered) => Part::BufferedWrite,
                    Access::Update(Internal::Apart) => Part::ApartWrite,
                    _ => Part::AtomicWrite,
                };
                Ok(self.write(event, &label, rank, value, before, part))
            }
            Written::Unknown => panic!("a read-modify-write whose read has returned has a value"),
        }
    }

    /// Returns what is commit-before a read, given what is so apart from what it reads from, its own store if that may be
    /// forwarded, and the write that it reads from.
    fn before_read(&self, before: &Set<W>, own: Option<usize>, source: Option<usize>) -> Set<W> {
        let mut before = *before;
        if own.is_some() && own == source {
            return before;
        }
        for write in own.into_iter().chain(source) {
            before.insert(write);
            before.add(self.trace.before(write));
        }
        before
    }

    /// Commits a load that reads from its own store, which is not committed yet.
    fn forward<P: Program<W>>(
        &mut self,
        program: &P,
        event: EventId,
        store: EventId,
        before: Set<W>,
    ) -> Result<Verdict, Ended<P::Fault>> {
        let Written::Value(value) = self.label(store).written else { panic!("a store that is forwarded has a value") };
        let (location, fences) = (self.location(event), self.label(event).fences);
        let node = Node { event, part: Part::Read(None), location, value, rank: 0, fences };
        self.trace.forward(node, before, store);
        self.read(program, event, value)
    }

    /// Makes the read of an event, which is the last node of the trace, return this value, if the model allows it.
    fn read<P: Program<W>>(&mut self, program: &P, event: EventId, value: Value) -> Result<Verdict, Ended<P::Fault>> {
        let (thread, index) = (usize::from(event.thread), usize::from(event.index));
        let knows_first = M::ORDERS_BY_OUTCOME && self.label(event).access != Access::Load;
        if !knows_first && !self.model.admits(&self.trace, &self.labels[thread]) {
            return Ok(Verdict::Refused);
        }
        if self.reads[thread].len() <= index {
            self.reads[thread].resize(index + 1, None);
        }
        self.reads[thread][index] = Some(value);
        self.fetch(program, thread).map_err(Ended::Fault)?;
        if knows_first && !self.model.admits(&self.trace, &self.labels[thread]) {
            return Ok(Verdict::Refused);
        }
        Ok(Verdict::Allowed)
    }

    fn write(
        &mut self,
        event: EventId,
        label: &Label<W>,
        place: usize,
        value: Value,
        before: Set<W>,
        part: Part,
    ) -> Verdict {
        let location = self.location(event);
        if !self.trace.is_open(location, place) {
            return Verdict::Refused;
        }
        let rank = u16::try_from(place + 1).expect("fewer than 65536 writes");
        self.trace.commit(Node { event, part, location, value, rank, fences: label.fences }, before);
        let labels = &self.labels[usize::from(event.thread)];
        if self.model.admits(&self.trace, labels) { Verdict::Allowed } else { Verdict::Refused }
    }

    /// Whether a thread has come to its end, or waits for something that no thread does.
    fn is_over(&self, thread: usize) -> bool {
        let labels = &self.labels[thread];
        let left = Set::below(labels.len()).without(self.trace.committed_of(thread));
        match left.iter().next() {
            Some(index) => labels[index].link == Link::Follows,
            None => self.reached[thread] != Reached::Branch,
        }
    }

    /// Returns the parameter with which a committed access would be committed where these nodes are.
    fn parameter(&self, event: EventId, present: &Set<W>) -> Parameter {
        let node = self.trace.node(self.trace.nodes_of(event).start);
        match node.part {
            Part::Read(_) if matches!(self.label(event).link, Link::Chooses(_)) => {
                Parameter::Place(u16::try_from(node.value).expect("fewer than 65536 choices"))
            }
            Part::Read(source) => {
                let own = self.own_store(event).filter(|&store| {
                    source.map_or(!self.trace.is_committed(store), |source| self.trace.node(source).event == store)
                });
                own.map_or_else(
                    || Parameter::Source(source.map(|source| self.trace.node(source).event)),
                    |_| Parameter::Own,
                )
            }
            Part::Write | Part::AtomicWrite | Part::BufferedWrite | Part::ApartWrite => {
                let writes = self.trace.at(node.location).and(self.trace.writes()).and(present);
                let place = writes.iter().filter(|&write| self.trace.node(write).rank < node.rank).count();
                Parameter::Place(u16::try_from(place).expect("fewer than 65536 writes"))
            }
        }
    }

    /// Whether an update would write if it read this value.
    fn would_write<P: Program<W>>(&self, program: &P, event: EventId, value: Value) -> Result<bool, P::Fault> {
        if self.label(event).link == Link::Locks {
            return Ok(value == FREE);
        }
        let (thread, index) = (usize::from(event.thread), usize::from(event.index));
        let mut reads = self.reads[thread].clone();
        reads.resize(reads.len().max(index + 1), None);
        reads[index] = Some(value);
        let (labels, _) = program.fetch(thread, self.origins[thread], &reads)?;
        Ok(labels[index].written != Written::Nothing)
    }
}

struct Exploration<'s, const W: usize, M, P> {
    program: &'s P,
    visit: &'s mut dyn FnMut(&CompleteTrace<'_, W>) -> Continue,
    /// The state before each commit of the run, and behind these the present one. Further states are kept for their memory.
    states: Vec<State<M, W>>,
    run: Vec<Committed>,
    frames: Vec<Frame>,
    counts: Counts,
}

impl<const W: usize, M: Model<W>, P: Program<W>> Exploration<'_, W, M, P> {
    fn state(&self) -> &State<M, W> {
        &self.states[self.run.len()]
    }

    /// Commits an access, if the model allows it; [`Exploration::back`] takes it back.
    fn commit(
        &mut self,
        event: EventId,
        rank: usize,
        before: &Set<W>,
        frame: Option<usize>,
    ) -> Result<Verdict, Ended<P::Fault>> {
        let depth = self.run.len();
        if self.states.len() == depth + 1 {
            self.states.push(State::default());
        }
        let (done, next) = self.states.split_at_mut(depth + 1);
        next[0].copy_from(&done[depth]);
        let verdict = next[0].commit(self.program, event, rank, before)?;
        if verdict == Verdict::Allowed {
            self.run.push(Committed { event, frame });
        }
        Ok(verdict)
    }

    fn back(&mut self) {
        self.run.pop();
    }

    /// Explores all traces that extend the run.
    fn explore(&mut self) -> Result<(), Ended<P::Fault>> {
        let Some(event) = self.state().enabled(self.program) else { return self.complete() };
        match self.state().label(event).access {
            Access::Store => {
                self.every_place(event, Self::explore)?;
                self.detect_races(event)
            }
            Access::Load => self.meet(event),
            Access::Update(_) => {
                match self.state().label(event).link {
                    Link::Locks => self.lock(event)?,
                    _ => self.meet(event)?,
                }
                self.detect_update_races(event)
            }
        }
    }

    fn complete(&mut self) -> Result<(), Ended<P::Fault>> {
        let state = &self.states[self.run.len()];
        assert!(
            (0..state.labels.len()).all(|thread| state.is_over(thread)),
            "the search is stuck before the end of a trace"
        );
        self.counts.executions += 1;
        self.counts.events += self.run.len() as u64;
        let State { trace, model, reads, labels, reached, origins } = state;
        match (self.visit)(&CompleteTrace { trace, reads, labels, reached, origins, model }) {
            Continue::Yes => Ok(()),
            Continue::Stop => Err(Ended::Stopped),
        }
    }

    /// Commits a store at every place that is allowed, and goes on from there.
    fn every_place(
        &mut self,
        event: EventId,
        mut go_on: impl FnMut(&mut Self) -> Result<(), Ended<P::Fault>>,
    ) -> Result<(), Ended<P::Fault>> {
        let location = self.state().location(event);
        let last = self.state().trace.coherence(location).len();
        let before = self.state().ready(event);
        let mut stuck = true;
        for place in self.state().floor(event, location)..=last {
            if self.commit(event, place, &before, None)? == Verdict::Allowed {
                stuck = false;
                go_on(self)?;
                self.back();
            }
        }
        self.stuck(stuck);
        Ok(())
    }

    /// Counts an access as blocked if it is one that could not be committed in any way.
    fn stuck(&mut self, stuck: bool) {
        assert!(!(stuck && M::IS_DEADLOCK_FREE), "an access can be committed in no way");
        self.counts.blocked += u64::from(stuck);
    }

    /// Explores all that a read may read from: first the writes that are there, then those that come later.
    fn meet(&mut self, event: EventId) -> Result<(), Ended<P::Fault>> {
        let location = self.state().location(event);
        let last = self.state().last(event);
        let before = self.state().ready(event);
        assert!(self.state().waits_for_own(event).is_none(), "an own store is not committed when its load is met");
        let number = self.frames.len();
        self.frames.push(Frame {
            alternatives: Alternatives::Sources,
            length: self.run.len(),
            waiting: Vec::new(),
            known: BTreeSet::new(),
        });
        let mut stuck = true;
        for rank in self.state().floor(event, location)..=last {
            if self.commit(event, rank, &before, Some(number))? == Verdict::Allowed {
                stuck = false;
                self.explore()?;
                self.back();
            }
        }
        self.stuck(stuck);
        self.follow_all(number)
    }

    /// Follows the continuations of the last frame until there are no more, and drops it.
    fn follow_all(&mut self, frame: usize) -> Result<(), Ended<P::Fault>> {
        while let Some(continuation) = self.frames[frame].waiting.pop() {
            self.traverse(&continuation, frame)?;
        }
        self.frames.pop();
        Ok(())
    }

    /// Follows a continuation to its end, and explores the traces from there.
    fn traverse(&mut self, continuation: &[(EventId, Parameter)], frame: usize) -> Result<(), Ended<P::Fault>> {
        let Some((&(event, parameter), rest)) = continuation.split_first() else { return self.explore() };
        let is_last = rest.is_empty();
        let rank = match parameter {
            Parameter::Any => return self.every_place(event, |search| search.traverse(rest, frame)),
            Parameter::Place(place) => usize::from(place),
            Parameter::Own => {
                let state = self.state();
                let store = state.own_store(event).and_then(|store| state.trace.write_of(store));
                store.map_or(0, |store| state.trace.node(store).rank.into())
            }
            Parameter::Source(source) => {
                let trace = &self.state().trace;
                let write = source.map(|source| trace.write_of(source));
                match write {
                    None => 0,
                    Some(Some(write)) => usize::from(trace.node(write).rank),
                    Some(None) => panic!("a continuation has what its reads read from"),
                }
            }
        };
        let before = self.state().ready(event);
        if self.commit(event, rank, &before, is_last.then_some(frame))? == Verdict::Refused {
            self.counts.blocked += 1;
            return Ok(());
        }
        self.traverse(rest, frame)?;
        self.back();
        let reads_anew = is_last && self.frames[frame].alternatives == Alternatives::Sources;
        if reads_anew && matches!(self.state().label(event).access, Access::Update(_)) {
            let source = self.state().trace.ranked(self.state().location(event), rank);
            self.detect_update_races_from(event, source)?;
        }
        Ok(())
    }

    /// Makes continuations for the reads that might have read from this store if it had been committed before them.
    fn detect_races(&mut self, store: EventId) -> Result<(), Ended<P::Fault>> {
        let before = self.state().ready(store);
        self.continue_with(store, Parameter::Any, &before, None);
        Ok(())
    }

    /// Makes continuations for the reads that might have read from this read-modify-write, once for each write that it may read
    /// from itself.
    fn detect_update_races(&mut self, update: EventId) -> Result<(), Ended<P::Fault>> {
        let state = self.state();
        let location = state.location(update);
        let last = state.trace.coherence(location).len();
        for rank in state.floor(update, location)..=last {
            let source = self.state().trace.ranked(location, rank);
            self.detect_update_races_from(update, source)?;
        }
        Ok(())
    }

    fn detect_update_races_from(&mut self, update: EventId, source: Option<usize>) -> Result<(), Ended<P::Fault>> {
        let state = self.state();
        let value = source
            .map_or_else(|| self.program.initial(state.location(update)), |source| state.trace.node(source).value);
        if !state.would_write(self.program, update, value).map_err(Ended::Fault)? {
            return Ok(());
        }
        let mut before = state.ready(update);
        let event = source.map(|source| state.trace.node(source).event);
        if let Some(source) = source {
            before.insert(source);
            before.add(state.trace.before(source));
        }
        self.continue_with(update, Parameter::Source(event), &before, source);
        Ok(())
    }

    /// Makes a continuation in which the write is committed first, for each read of the location in the run that is not
    /// commit-before the write.
    fn continue_with(&mut self, write: EventId, parameter: Parameter, before: &Set<W>, source: Option<usize>) {
        let state = &self.states[self.run.len()];
        let location = state.location(write);
        let taken = if parameter == Parameter::Any { None } else { state.trace.update_behind(location, source) };
        if taken.is_some_and(|update| before.contains(update)) {
            return;
        }
        for committed in &self.run {
            let Some(number) = committed.frame else { continue };
            let (read, frame) = (state.trace.nodes_of(committed.event).start, &self.frames[number]);
            let same = state.trace.node(read).location == location;
            if !same || before.contains(read) || source.is_some_and(|source| source == read) {
                continue;
            }
            let met = state.trace.nodes_of(self.run[frame.length].event).start;
            let locks_there = parameter != Parameter::Any && state.trace.node(read).part == Part::Read(source);
            let is_in_vain = match frame.alternatives {
                Alternatives::Sources => taken.is_some_and(|update| update < met),
                Alternatives::Holders => !locks_there,
            };
            if is_in_vain {
                continue;
            }
            let mut continuation = self.cut(frame.length, before);
            continuation.push((write, parameter));
            if frame.alternatives == Alternatives::Sources {
                continuation.push((committed.event, Parameter::Source(Some(write))));
            }
            let frame = &mut self.frames[number];
            if !frame.known.contains(&continuation) {
                frame.known.insert(continuation.clone());
                frame.waiting.push(continuation);
            }
        }
    }

    /// Returns the accesses of the run behind its first `length` that are in `before`, in the first order by name that is
    /// compatible with commit-before.
    fn cut(&self, length: usize, before: &Set<W>) -> Continuation {
        let state = &self.states[self.run.len()];
        let trace = &state.trace;
        let first = |event: EventId| trace.nodes_of(event).start;
        let prefix: Set<W> = self.run[..length].iter().flat_map(|committed| trace.nodes_of(committed.event)).collect();
        let kept = self.run[length..].iter().map(|committed| committed.event);
        let mut left: Vec<EventId> = kept.filter(|&event| before.contains(first(event))).collect();
        left.sort_unstable();
        let mut present = prefix;
        let mut continuation = Vec::with_capacity(left.len() + 2);
        while !left.is_empty() {
            let next = left.iter().position(|&event| trace.before(first(event)).is_within(&present));
            let event = left.remove(next.expect("commit-before has no cycle"));
            continuation.push((event, state.parameter(event, &present)));
            for node in trace.nodes_of(event) {
                present.insert(node);
            }
        }
        continuation
    }
}
