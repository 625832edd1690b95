//! The state of the search for execution graphs after some commits: the trace so far, and what each thread does next.

use crate::event::Location;
use crate::graph::set::Set;
use crate::graph::trace::{Node, Part, Trace};
use crate::graph::{Access, EventId, FREE, Internal, Label, Labels, Link, Program, Reached, Value, Written, own_store};
use crate::model::{Model, Past};

/// The reason why a search ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended<F> {
    /// The program did something that cannot be run.
    Fault(F),
    /// An execution has more nodes than a `Set<W>` can number.
    TooManyEvents,
    /// The visitor of the traces has seen enough.
    Stopped,
    /// A unit is none of this program, or the program does not do again what it did.
    Strayed,
}

/// The parameter of a commit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Parameter {
    /// A store is committed at every place that is allowed.
    Any,
    /// A store is committed after this many of the committed writes to its location; a choice chooses this value.
    Place(u16),
    /// A read reads from the write of this event; none is the initial write.
    Source(Option<EventId>),
    /// A load reads from its own store.
    Own,
}

/// The order in which accesses are taken that can be committed; the first of them is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Precedence {
    /// The access is a store.
    Store,
    /// The access reads, and is no lock.
    Read,
    /// The access is a lock that is free.
    Free,
    /// The access is a read that a round of a wait loop keeps ([`Label::is_kept`]).
    Kept,
    /// The access is the last read of a round of a wait loop, whose thread waits if it reads the last write.
    Waiting,
    /// The access is a lock that is held.
    Held,
}

/// The most rounds of a wait loop, of which it is not known whether they have an effect, that a thread goes past if no
/// continuation needs more.
const GONE_PAST_BY_CHOICE: u8 = 1;

/// The state after some commits.
#[derive(Debug, Default)]
pub(super) struct State<M: Model<W>, const W: usize> {
    pub(super) trace: Trace<W>,
    pub(super) model: M,
    /// The accesses of each thread that have been fetched, and in `reached` how far they go.
    pub(super) labels: Vec<Labels<W>>,
    pub(super) reached: Vec<Reached>,
    /// The origin of each thread: what it runs.
    pub(super) origins: Vec<u32>,
    /// The values that the reads of each thread returned.
    pub(super) reads: Vec<Vec<Option<Value>>>,
    steps: Vec<Step<W>>,
    /// What is kept of the model before each step; further ones are there for their memory.
    models: Vec<M::Past>,
}

/// A commit, with what is needed to take it back.
#[derive(Debug)]
struct Step<const W: usize> {
    event: EventId,
    /// The number of nodes, of threads, and of reads of the event's thread that are known or were, before it.
    nodes: usize,
    threads: usize,
    reads: usize,
    /// The thread that was run, with its accesses, how far they went, and its origin before that.
    run: Option<(usize, Labels<W>, Reached, u32)>,
}

/// The answer to a commit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The access is committed.
    Allowed,
    /// The model refuses it.
    Refused,
    /// The thread waits in a round of a wait loop that no execution has, or that other executions stand for.
    LeftOut,
}

/// Whether the last write to the location of a lock says that it is free.
pub(super) fn is_free<const W: usize, P: Program<W>>(trace: &Trace<W>, program: &P, lock: Location) -> bool {
    last_value(trace, program, lock) == FREE
}

/// Returns the value of the last write to a location.
fn last_value<const W: usize, P: Program<W>>(trace: &Trace<W>, program: &P, location: Location) -> Value {
    let last = trace.ranked(location, trace.coherence(location).len());
    last.map_or_else(|| program.initial(location), |last| trace.node(last).value)
}

/// Whether a thread that has come this far, with so many accesses, waits with this read as the last of them.
fn waits_behind(event: EventId, reached: Reached, accesses: usize) -> bool {
    matches!(reached, Reached::Waits { since } if since <= event.index) && accesses == usize::from(event.index) + 1
}

/// Whether an access has been fetched, given the accesses of each thread.
pub(super) fn is_fetched<const W: usize>(labels: &[Labels<W>], event: EventId) -> bool {
    labels.get(usize::from(event.thread)).is_some_and(|labels| usize::from(event.index) < labels.len())
}

/// Whether a thread that has gone past a round of a wait loop, while a value that the round keeps was not known, turns out to
/// wait in that round, given how far it came, what is committed, and the number of its accesses. What it has done since is what
/// it does where the round is left out.
fn waits_too_late<const W: usize>(reached: Reached, committed: &Set<W>, accesses: usize) -> bool {
    let is_waiting = matches!(reached, Reached::Waits { .. } | Reached::Assumes);
    is_waiting && !committed.is_within(&Set::below(accesses))
}

/// Returns how soon an access is taken that can be committed, as if no thread waited behind its last read.
fn at_first_sight<const W: usize, P: Program<W>>(trace: &Trace<W>, program: &P, label: &Label<W>) -> Precedence {
    match (label.access, label.link, label.location) {
        (Access::Store, ..) => Precedence::Store,
        (_, Link::Locks, Some(lock)) if is_free(trace, program, lock) => Precedence::Free,
        (_, Link::Locks, _) => Precedence::Held,
        _ if label.is_kept => Precedence::Kept,
        _ => Precedence::Read,
    }
}

/// Returns the accesses that are not committed and that no thread would have to go too far for, by threads; if accesses are committed
/// in order, the first of each thread.
fn ahead<const W: usize, M: Model<W>>(state: &State<M, W>) -> impl Iterator<Item = EventId> {
    state.labels.iter().enumerate().flat_map(|(thread, labels)| {
        let committed = state.trace.committed_of(thread);
        let is_ahead =
            move |&index: &usize| !committed.contains(index) && labels[index].gone_past <= GONE_PAST_BY_CHOICE;
        let most = if M::COMMITS_IN_ORDER { 1 } else { labels.len() };
        (0..labels.len()).filter(is_ahead).take(most).map(move |index| EventId::new(thread, index))
    })
}

/// Returns all accesses that can be committed, but for those that are taken only if there are no others: of these, the ones
/// that are taken soonest.
pub(super) fn candidates<const W: usize, M: Model<W>, P: Program<W>>(
    state: &State<M, W>,
    program: &P,
) -> Result<Vec<EventId>, P::Fault> {
    let mut all = Vec::new();
    for event in ahead(state) {
        if state.is_ready(event) && state.waits_for_own(event).is_none() {
            all.push((state.precedence(program, event)?.max(Precedence::Free), event));
        }
    }
    let soonest = all.iter().map(|&(precedence, _)| precedence).min();
    Ok(all.into_iter().filter(|&(precedence, _)| Some(precedence) == soonest).map(|(_, event)| event).collect())
}

/// Returns what is commit-before a read, given what is so apart from what it reads from, its own store if that may be
/// forwarded, and the write that it reads from.
fn before_read<const W: usize>(trace: &Trace<W>, before: &Set<W>, own: Option<usize>, source: Option<usize>) -> Set<W> {
    let mut before = *before;
    if own.is_some() && own == source {
        return before;
    }
    for write in own.into_iter().chain(source) {
        before.insert(write);
        before.add(trace.before(write));
    }
    before
}

impl<const W: usize, M: Model<W>> State<M, W> {
    pub(super) fn new<P: Program<W>>(program: &P) -> Result<Self, P::Fault> {
        let threads = program.threads();
        let mut state = Self {
            trace: Trace::new(threads, program.locations()),
            model: M::default(),
            labels: vec![Labels::default(); threads],
            reached: vec![Reached::End; threads],
            origins: vec![0; threads],
            reads: vec![Vec::new(); threads],
            steps: Vec::new(),
            models: Vec::new(),
        };
        for thread in 0..threads {
            state.fetch(program, thread, 0)?;
        }
        Ok(state)
    }

    /// Runs a thread of this origin with what its reads have returned.
    fn fetch<P: Program<W>>(&mut self, program: &P, thread: usize, origin: u32) -> Result<(), P::Fault> {
        let (labels, reached) = program.fetch(thread, origin, &self.reads[thread])?;
        let labels = std::mem::replace(&mut self.labels[thread], labels);
        let reached = std::mem::replace(&mut self.reached[thread], reached);
        let origin = std::mem::replace(&mut self.origins[thread], origin);
        if let Some(step) = self.steps.last_mut() {
            step.run = Some((thread, labels, reached, origin));
        }
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
        self.fetch(program, thread, origin)
    }

    pub(super) fn label(&self, event: EventId) -> &Label<W> {
        &self.labels[usize::from(event.thread)][usize::from(event.index)]
    }

    pub(super) fn location(&self, event: EventId) -> Location {
        self.label(event).location.expect("what can be committed has an address")
    }

    /// Returns the own store of a load, if the load may read from it before it is committed.
    pub(super) fn own_store(&self, event: EventId) -> Option<EventId> {
        let label = self.label(event);
        if !M::FORWARDS || label.access != Access::Load || label.link != Link::None {
            return None;
        }
        let own = own_store(&self.labels[usize::from(event.thread)], event.index.into())?;
        Some(EventId::new(event.thread.into(), own))
    }

    /// Returns the own store of a load, if it is not committed.
    pub(super) fn waits_for_own(&self, event: EventId) -> Option<EventId> {
        self.own_store(event).filter(|&store| !self.trace.is_committed(store))
    }

    /// Returns the least rank that an access may have, as far as its own thread goes.
    pub(super) fn floor(&self, event: EventId, location: Location) -> usize {
        let follows = self.label(event).link == Link::Follows;
        self.trace.floor(event, location).max(usize::from(follows))
    }

    /// Returns the last number with which the event may be committed.
    pub(super) fn last(&self, event: EventId) -> usize {
        match self.label(event).link {
            Link::Chooses(among) => usize::from(among) - 1,
            _ => self.trace.coherence(self.location(event)).len(),
        }
    }

    /// Returns what is commit-before an event, except for what it reads from; none if it cannot be committed yet.
    pub(super) fn before(&self, event: EventId) -> Option<Set<W>> {
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
    pub(super) fn ready(&self, event: EventId) -> Set<W> {
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

    /// Returns how soon an access is taken that can be committed.
    fn precedence<P: Program<W>>(&self, program: &P, event: EventId) -> Result<Precedence, P::Fault> {
        let precedence = at_first_sight(&self.trace, program, self.label(event));
        let (label, thread) = (self.label(event), usize::from(event.thread));
        // Only the last access that is known can be what a thread waits behind.
        let is_last =
            self.reached[thread] == Reached::Branch && usize::from(event.index) + 1 == self.labels[thread].len();
        let Some(location) = label.location.filter(|_| is_last && label.link == Link::None) else {
            return Ok(precedence);
        };
        if precedence != Precedence::Read {
            return Ok(precedence);
        }
        let (labels, reached) = self.fetch_with(program, event, last_value(&self.trace, program, location))?;
        let waits = waits_behind(event, reached, labels.len());
        Ok(if waits { Precedence::Waiting } else { Precedence::Read })
    }

    /// Returns an access that can be committed. Stores go first: a store that is there when a read is met needs no continuation,
    /// and continuations can be refused. (This halves the refusals on litmus tests.)
    pub(super) fn enabled<P: Program<W>>(&self, program: &P) -> Result<Option<EventId>, P::Fault> {
        let mut first: Option<(Precedence, EventId)> = None;
        for event in ahead(self) {
            let is_sooner = |precedence| first.is_none_or(|(least, _)| precedence < least);
            let least = at_first_sight(&self.trace, program, self.label(event));
            if is_sooner(least) && self.is_ready(event) && self.waits_for_own(event).is_none() {
                let precedence = self.precedence(program, event)?;
                if precedence == Precedence::Store {
                    return Ok(Some(event));
                }
                if is_sooner(precedence) {
                    first = Some((precedence, event));
                }
            }
        }
        Ok(first.map(|(_, event)| event))
    }

    /// Takes back the last commit.
    pub(super) fn take_back(&mut self) {
        let Step { event, nodes, threads, reads, run } = self.steps.pop().expect("something was committed");
        self.models[self.steps.len()].take_back(&mut self.model);
        self.trace.take_back(nodes);
        if let Some((thread, labels, reached, origin)) = run {
            (self.labels[thread], self.reached[thread], self.origins[thread]) = (labels, reached, origin);
        }
        self.labels.truncate(threads);
        self.reached.truncate(threads);
        self.origins.truncate(threads);
        self.reads.truncate(threads);
        let known = &mut self.reads[usize::from(event.thread)];
        if let Some(read) = known.get_mut(usize::from(event.index)) {
            *read = None;
        }
        known.truncate(reads);
    }

    /// Commits an access, given what is commit-before it: a store after `rank` writes, a read from the write with this rank, or a
    /// choice of this number. What the model refuses is not committed.
    pub(super) fn commit<P: Program<W>>(
        &mut self,
        program: &P,
        event: EventId,
        rank: usize,
        before: &Set<W>,
    ) -> Result<Verdict, Ended<P::Fault>> {
        let depth = self.steps.len();
        if self.models.len() == depth {
            self.models.push(M::Past::default());
        }
        self.models[depth].keep(&self.model);
        let (nodes, threads) = (self.trace.nodes().len(), self.labels.len());
        let reads = self.reads[usize::from(event.thread)].len();
        self.steps.push(Step { event, nodes, threads, reads, run: None });
        let verdict = self.perform(program, event, rank, before)?;
        if verdict != Verdict::Allowed {
            self.take_back();
        }
        Ok(verdict)
    }

    /// Performs a commit; what the model refuses is to be taken back.
    fn perform<P: Program<W>>(
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
        let before = before_read(&self.trace, before, own, source);
        let small = u16::try_from(rank).expect("fewer than 65536 writes");
        let node = Node { event, part: Part::Read(source), location, value, rank: small, fences: label.fences };
        self.trace.commit(node, before);
        let verdict = self.read(program, event, value)?;
        if verdict != Verdict::Allowed {
            return Ok(verdict);
        }
        // The label is looked up again, since what stands between the read and the write may depend on what was read.
        let label = *self.label(event);
        match label.written {
            Written::Nothing if self.waits_in_vain(event) => Ok(Verdict::LeftOut),
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

    /// Whether a thread waits behind a read, its last access and the last node, that is not of the last write to its location. No
    /// execution is like that: the thread would read the last write.
    fn waits_in_vain(&self, event: EventId) -> bool {
        let thread = usize::from(event.thread);
        if !waits_behind(event, self.reached[thread], self.labels[thread].len()) {
            return false;
        }
        let node = self.trace.node(self.trace.nodes().len() - 1);
        usize::from(node.rank) < self.trace.coherence(node.location).len()
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
        self.fetch(program, thread, self.origins[thread]).map_err(Ended::Fault)?;
        if waits_too_late(self.reached[thread], self.trace.committed_of(thread), self.labels[thread].len()) {
            return Ok(Verdict::LeftOut);
        }
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
        if self.trace.update_behind(location, place).is_some() {
            return Verdict::Refused;
        }
        let rank = u16::try_from(place + 1).expect("fewer than 65536 writes");
        self.trace.commit(Node { event, part, location, value, rank, fences: label.fences }, before);
        let labels = &self.labels[usize::from(event.thread)];
        if self.model.admits(&self.trace, labels) { Verdict::Allowed } else { Verdict::Refused }
    }

    /// Whether a thread has come to its end, or waits for something that no thread does.
    pub(super) fn is_over(&self, thread: usize) -> bool {
        let labels = &self.labels[thread];
        let left = Set::below(labels.len()).without(self.trace.committed_of(thread));
        match left.iter().next() {
            Some(index) => labels[index].link == Link::Follows,
            None => self.reached[thread] != Reached::Branch,
        }
    }

    /// Returns the parameter with which a committed access would be committed where these nodes are.
    pub(super) fn parameter(&self, event: EventId, present: &Set<W>) -> Parameter {
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
    pub(super) fn would_write<P: Program<W>>(
        &self,
        program: &P,
        event: EventId,
        value: Value,
    ) -> Result<bool, P::Fault> {
        if self.label(event).link == Link::Locks {
            return Ok(value == FREE);
        }
        let (labels, _) = self.fetch_with(program, event, value)?;
        Ok(labels[usize::from(event.index)].written != Written::Nothing)
    }

    /// Returns what a thread would do if an access of it read this value.
    fn fetch_with<P: Program<W>>(
        &self,
        program: &P,
        event: EventId,
        value: Value,
    ) -> Result<(Labels<W>, Reached), P::Fault> {
        let (thread, index) = (usize::from(event.thread), usize::from(event.index));
        let mut reads = self.reads[thread].clone();
        reads.resize(reads.len().max(index + 1), None);
        reads[index] = Some(value);
        program.fetch(thread, self.origins[thread], &reads)
    }
}
