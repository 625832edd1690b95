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
//!    behind it, but for stores. By choice, a load is taken behind its own store alone, and may read from any write from there on.
//! 6. A lock ([`Link::Locks`]) that is held is not committed, and a lock races with other locks, as follows.
//!
//! # Locks
//! To commit a lock that finds its location held, and have the unlock that it waits for make a continuation for it, would be to
//! explore all that the others do meanwhile in a trace that is no execution. So a lock is committed where its location is free,
//! and there its alternatives are who locks next, not what it reads.
//!
//! A lock is taken last, when nothing else can be committed, and so the location is free if the last write in co says so: each
//! lock is right behind the write that it reads from, and nothing else but its own thread's unlock comes behind it. The frame of
//! a lock ([`Alternatives::Holders`]) stands for the write s that it reads from. In each execution in which others go on from
//! the run, some access takes the lock right behind s: the frame's own, or another one, l, that is not behind it in
//! commit-before, since all that is behind s in co is behind l. What is commit-before l can come with the frame's own lock:
//! nothing of it is behind s in co, so that the lock still reads the last write. So there is a trace in which l races with the
//! frame's lock, and makes a continuation: what is commit-before l, and l, which takes the place of the frame's lock. That one
//! is not committed; it waits, and is met again where the location is free. Two executions in which different accesses take
//! the lock behind s differ in that, so each is explored once.
//!
//! Where nothing can be committed but locks that are held, their threads wait for ever. They are committed then, each as a
//! read of the last write, after which nothing comes. They race as any lock does: somebody who waits for ever here locks first
//! elsewhere.
//!
//! # Wait loops
//! A thread that goes round a wait loop waits for another write than one of those that it has read. If the last read r of the round
//! is not of the last write in co, there is no such execution, and so r is not committed. That it reads a last write at which
//! its thread waits is still explored, since continuations come of it, but only when nothing else can be committed.
//!
//! No execution is missed, whether the model commits in order or not. Nothing of r's thread comes behind r while it waits, and
//! no write comes behind a last one in co: so a read of the last write is before nothing in any order that the axioms speak of, is on
//! no cycle, and is allowed beside whatever is allowed without it. Take an execution in which r reads from a write w that is
//! not in the run, and the first write v to the location, up to w in commit-before, that is not in the run either. What is
//! commit-before v can come after r has read the last write, as none of it writes there, and so v races with r. If v is last in
//! co then, r reads from v in a continuation, which is allowed for the same reason; if not, r goes on with the write that it has,
//! and is before v in nothing. So it comes to w, a write at a time.
//!
//! That nothing of r's thread is commit-before v needs more where machines read out of order: r may be late, and v come of what
//! the thread does behind the loop. If the state of the loop depends on r, it is not known before r returns whether the round has
//! an effect. So the thread goes past the round ([`Label::gone_past`]), and r, which the round keeps ([`Label::is_kept`]), is
//! committed last, when v is there. If r then turns out to be one of a round without effect, what the thread has done since is
//! what it does where the round is left out, and so explored there; here it is left out ([`Verdict::LeftOut`]). As a thread might
//! go past rounds for ever, the search goes past one by its own choice, and past more only where a continuation needs it.
//!
//! # Pauses
//! A search that pauses explores no further: from then on [`Exploration::explore`] leaves where it is as a unit ([`units`]), and so
//! the calls that are under way come to their ends, through all alternatives that they have left, and make their continuations. Whoever
//! runs the units comes to the same traces, each once, and to the same counts: what is below a node is a function of the node, and each
//! frame's set of continuations is what all that is below it comes to, in whatever order. That the access which is taken next depends on the node
//! alone is needed for it.

pub mod census;
mod state;
pub mod units;

use std::collections::{BTreeMap, BTreeSet};

pub use self::state::Ended;
use self::state::{Parameter, State, Verdict, is_fetched, is_free};
use self::units::{Alternatives, Continuation, Left, News, Step};

use crate::graph::causality::Causality;
use crate::graph::lifetime::{Lifetimes, Moment};
use crate::graph::set::Set;
use crate::graph::trace::{Part, Trace};
use crate::graph::{Access, EventId, Labels, Link, Program, Reached, Value, Written};
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

/// Whether the search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Continue {
    /// The search goes on with the next trace.
    Yes,
    /// The search pauses: it leaves what it has not explored as units.
    Pause,
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

    /// Whether the second access may overtake the write of the first one, a read-modify-write, whose read is kept before it.
    #[must_use]
    pub fn passes_write(&self, first: EventId, second: EventId) -> bool {
        let trace = self.trace;
        let begin = trace.nodes_of(second).start;
        let is_update = trace.nodes_of(first).len() > 1;
        let passes = |write| !self.model.keeps(trace, write, begin);
        is_update && self.keeps(first, second) && trace.write_of(first).is_some_and(passes)
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

    /// Returns whether program order and reads-from agree in this execution: they do if accesses are committed in order.
    #[must_use]
    pub fn causality(&self) -> Causality {
        if self.model.commits_in_order() { Causality::Causal } else { Causality::of(self.trace) }
    }

    /// Returns all pairs of accesses that race, if the model knows races ([`Model::races`]).
    #[must_use]
    pub fn races(&self) -> Vec<(EventId, EventId)> {
        self.model.races(self.trace)
    }

    /// Returns all pairs of accesses that race if these are the accesses of each thread, as [`CompleteTrace::is_allowed_with`] has
    /// them; none if the model does not allow the execution then.
    #[must_use]
    pub fn races_with(&self, labels: &[Labels<W>]) -> Vec<(EventId, EventId)> {
        self.model.races_with(self.trace, labels)
    }

    /// Returns the order of the accesses and of these ends ([`Model::lifetimes`]).
    #[must_use]
    pub fn lifetimes(&self, ends: &[Moment]) -> Lifetimes<'_, W> {
        self.model.lifetimes(self.trace, ends)
    }

    /// Shows the order of the accesses and of these ends if these are the accesses of each thread, as
    /// [`CompleteTrace::is_allowed_with`] has them; nothing if the model does not allow the execution then.
    pub fn lifetimes_with(&self, labels: &[Labels<W>], ends: &[Moment], show: &mut dyn FnMut(&Lifetimes<'_, W>)) {
        self.model.lifetimes_with(self.trace, labels, ends, show);
    }

    /// Returns a read-modify-write that waits for more than its read must, so that executions like this one may have been missed
    /// ([`Model::waits_as_one`]).
    #[must_use]
    pub fn update_that_waits_as_one(&self) -> Option<EventId> {
        let of = |(thread, labels): (usize, &Labels<W>)| {
            let index = (0..labels.len()).find(|&index| self.model.waits_as_one(labels, index))?;
            Some(EventId::new(thread, index))
        };
        self.labels.iter().enumerate().find_map(of)
    }
}

/// The questions that are put to any [`Model`].
trait AnyModel<const W: usize>: std::fmt::Debug {
    fn commits_in_order(&self) -> bool;

    fn keeps(&self, trace: &Trace<W>, first: usize, second: usize) -> bool;

    fn waits_as_one(&self, labels: &Labels<W>, index: usize) -> bool;

    fn races(&self, trace: &Trace<W>) -> Vec<(EventId, EventId)>;

    fn lifetimes<'t>(&self, trace: &'t Trace<W>, ends: &[Moment]) -> Lifetimes<'t, W>;

    fn lifetimes_with(
        &self,
        trace: &Trace<W>,
        labels: &[Labels<W>],
        ends: &[Moment],
        show: &mut dyn FnMut(&Lifetimes<'_, W>),
    );

    fn allows(&self, trace: &Trace<W>, labels: &[Labels<W>]) -> bool;

    fn races_with(&self, trace: &Trace<W>, labels: &[Labels<W>]) -> Vec<(EventId, EventId)>;
}

impl<const W: usize, M: Model<W>> AnyModel<W> for M {
    fn commits_in_order(&self) -> bool {
        M::COMMITS_IN_ORDER
    }

    fn waits_as_one(&self, labels: &Labels<W>, index: usize) -> bool {
        M::waits_as_one(labels, index)
    }

    fn races(&self, trace: &Trace<W>) -> Vec<(EventId, EventId)> {
        Model::races(self, trace)
    }

    fn lifetimes<'t>(&self, trace: &'t Trace<W>, ends: &[Moment]) -> Lifetimes<'t, W> {
        Model::lifetimes(self, trace, ends)
    }

    fn keeps(&self, trace: &Trace<W>, first: usize, second: usize) -> bool {
        Model::keeps(self, trace, first, second)
    }

    fn lifetimes_with(
        &self,
        trace: &Trace<W>,
        labels: &[Labels<W>],
        ends: &[Moment],
        show: &mut dyn FnMut(&Lifetimes<'_, W>),
    ) {
        rebuilt::lifetimes::<W, M>(trace, labels, ends, show);
    }

    fn allows(&self, trace: &Trace<W>, labels: &[Labels<W>]) -> bool {
        rebuilt::allows::<W, M>(trace, labels)
    }

    fn races_with(&self, trace: &Trace<W>, labels: &[Labels<W>]) -> Vec<(EventId, EventId)> {
        rebuilt::races::<W, M>(trace, labels)
    }
}

/// Explores all traces of the program under the model `M`, and gives each to `visit`, which does not pause.
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
    let course = Course { visit, pauses: &|| false };
    let (counts, result) = explore_units::<W, M, P>(program, &[Vec::new()], course, &mut Memory::default());
    (counts, result.map(drop))
}

/// The course of a search.
pub struct Course<'s, const W: usize> {
    /// Takes each trace.
    pub visit: &'s mut dyn FnMut(&CompleteTrace<'_, W>) -> Continue,
    /// Says whether the search is to pause, whether it has come to a trace or not.
    pub pauses: &'s dyn Fn() -> bool,
}

/// The continuations of frames that are shared, as far as a process has come to them: it tells others of each once.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Memory(BTreeMap<Vec<u8>, BTreeSet<Continuation>>);

impl Memory {
    /// The most frames whose continuations are remembered.
    const FRAMES: usize = 1 << 12;

    /// Remembers the continuations of a frame.
    fn keep(&mut self, frame: &[u8], known: BTreeSet<Continuation>) {
        if self.0.len() >= Self::FRAMES {
            self.0.clear();
        }
        self.0.insert(frame.to_vec(), known);
    }
}

/// Explores what is below these units under the model `M`, gives each trace to the course, and returns what is left where that
/// pauses. The unit of a whole search is empty.
///
/// # Errors
/// [`Ended`], besides what was counted so far.
///
/// # Panics
/// As [`explore`].
pub fn explore_units<const W: usize, M: Model<W>, P: Program<W>>(
    program: &P,
    units: &[Vec<u8>],
    course: Course<'_, W>,
    memory: &mut Memory,
) -> (Counts, Result<Left, Ended<P::Fault>>) {
    let state = match State::new(program) {
        Ok(state) => state,
        Err(fault) => return (Counts::default(), Err(Ended::Fault(fault))),
    };
    let mut search = Exploration::<W, M, P> {
        program,
        course,
        memory,
        state,
        run: Vec::new(),
        frames: Vec::new(),
        counts: Counts::default(),
        pace: Pace::Beginning,
        left: Left::default(),
    };
    let result = search.run_each(units);
    (search.counts, result.map(|()| search.left))
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
        let Some(before) = before_named(&state, event, rank) else { return Ok(Err(number)) };
        if state.commit(program, event, rank, &before)? != Verdict::Allowed {
            return Ok(Err(number));
        }
    }
    let complete = state.enabled(program).map_err(Ended::Fault)?.is_none()
        && (0..state.labels.len()).all(|thread| state.is_over(thread));
    if !complete {
        return Ok(Err(commits.len()));
    }
    let State { trace, model, reads, labels, reached, origins, .. } = &state;
    visit(&CompleteTrace { trace, reads, labels, reached, origins, model });
    Ok(Ok(()))
}

/// Returns what is commit-before an event that somebody names, with the number that it is to be committed with; none if the program is not
/// there, or has no such number.
fn before_named<const W: usize, M: Model<W>>(state: &State<M, W>, event: EventId, rank: usize) -> Option<Set<W>> {
    let is_next = is_fetched(&state.labels, event) && !state.trace.is_committed(event);
    let before = is_next.then(|| state.before(event)).flatten()?;
    (rank <= state.last(event)).then_some(before)
}

/// Whether each access is still what it was when it was committed: it is if the program says of each access all reads that it
/// depends on. A read-modify-write that stores what it has read may turn out not to write, in a round of a wait loop without effect.
fn are_as_committed<const W: usize>(trace: &Trace<W>, labels: &[Labels<W>]) -> bool {
    let nodes = trace.nodes();
    nodes.iter().enumerate().all(|(number, node)| {
        let label = &labels[usize::from(node.event.thread)][usize::from(node.event.index)];
        let stores_what_is_there =
            || node.part.updates() && nodes[number - 1].event == node.event && nodes[number - 1].value == node.value;
        let is_written = match label.written {
            Written::Value(value) => value == node.value,
            Written::Nothing => stores_what_is_there(),
            Written::Unknown => false,
        };
        label.location == Some(node.location) && (!node.writes() || is_written)
    })
}

/// A committed access of the run.
#[derive(Clone, Copy, Debug)]
struct Committed {
    event: EventId,
    /// The number that it was committed with.
    rank: usize,
    /// The frame of the call that met it, if it is a read, or in whose place it locks.
    frame: Option<usize>,
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
    /// The name of the frame, if others share it.
    shared: Option<Vec<u8>>,
}

/// How a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pace {
    /// The search has explored nothing yet, and does not pause before it has.
    Beginning,
    /// The search explores.
    Exploring,
    /// The search leaves what it has not explored.
    Pausing,
}

struct Exploration<'s, 'c, const W: usize, M: Model<W>, P> {
    program: &'s P,
    course: Course<'c, W>,
    memory: &'s mut Memory,
    /// The state behind the commits of the run.
    state: State<M, W>,
    run: Vec<Committed>,
    frames: Vec<Frame>,
    counts: Counts,
    pace: Pace,
    left: Left,
}

impl<const W: usize, M: Model<W>, P: Program<W>> Exploration<'_, '_, W, M, P> {
    /// Commits an access, if the model allows it; [`Exploration::back`] takes it back.
    fn commit(
        &mut self,
        event: EventId,
        rank: usize,
        before: &Set<W>,
        frame: Option<usize>,
    ) -> Result<Verdict, Ended<P::Fault>> {
        let verdict = self.state.commit(self.program, event, rank, before)?;
        if verdict == Verdict::Allowed {
            self.run.push(Committed { event, rank, frame });
        }
        Ok(verdict)
    }

    fn back(&mut self) {
        self.run.pop();
        self.state.take_back();
    }

    /// Explores what is below each of these units; what is not begun when the search pauses is left as it is.
    fn run_each(&mut self, units: &[Vec<u8>]) -> Result<(), Ended<P::Fault>> {
        for (number, bytes) in units.iter().enumerate() {
            if self.is_pausing() {
                self.left.units.extend_from_slice(&units[number..]);
                break;
            }
            let unit = units::read(bytes).map_err(|_| Ended::Strayed)?;
            self.go_to(&unit.steps)?;
            if unit.continuation.is_empty() {
                self.explore()?;
            } else {
                let frame = self.frames.len().checked_sub(1).ok_or(Ended::Strayed)?;
                self.traverse(&unit.continuation, frame)?;
            }
        }
        self.go_to(&[])
    }

    /// Goes to a node, from another one. All frames on the way are shared.
    fn go_to(&mut self, steps: &[Step]) -> Result<(), Ended<P::Fault>> {
        let mut here = self.steps();
        let common = here.iter().zip(steps).take_while(|(one, other)| one == other).count();
        while here.len() > common {
            match here.pop() {
                Some(Step::Commit { .. }) => self.back(),
                _ => self.leave_frame(),
            }
        }
        for &step in &steps[common..] {
            match step {
                Step::Begin(alternatives) => self.enter_frame(alternatives),
                Step::Commit { event, rank, frame } => {
                    let before = before_named(&self.state, event, rank).ok_or(Ended::Strayed)?;
                    let is_known = frame.is_none_or(|frame| frame < self.frames.len());
                    if !is_known || self.commit(event, rank, &before, frame)? != Verdict::Allowed {
                        return Err(Ended::Strayed);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the steps to where the search is.
    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::with_capacity(self.run.len() + self.frames.len());
        let mut frames = self.frames.iter().peekable();
        for length in 0..=self.run.len() {
            while let Some(frame) = frames.next_if(|frame| frame.length == length) {
                steps.push(Step::Begin(frame.alternatives));
            }
            if let Some(&Committed { event, rank, frame }) = self.run.get(length) {
                steps.push(Step::Commit { event, rank, frame });
            }
        }
        steps
    }

    /// Returns the bytes of where the search is.
    fn node(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 * self.run.len());
        self.steps().into_iter().for_each(|step| units::write_step(&mut bytes, step));
        bytes
    }

    /// Begins a frame that others share.
    fn enter_frame(&mut self, alternatives: Alternatives) {
        self.frames.push(Frame {
            alternatives,
            length: self.run.len(),
            waiting: Vec::new(),
            known: BTreeSet::new(),
            shared: None,
        });
        let name = self.node();
        let frame = self.frames.last_mut().expect("it was pushed");
        frame.known = self.memory.0.remove(&name).unwrap_or_default();
        frame.shared = Some(name);
    }

    /// Leaves the last frame, which others share, and sends home the continuations that were found for it.
    fn leave_frame(&mut self) {
        let Some(Frame { waiting, known, shared: Some(frame), .. }) = self.frames.pop() else { return };
        self.memory.keep(&frame, known);
        if !waiting.is_empty() {
            let found = waiting.iter().map(|continuation| units::pack(continuation)).collect();
            self.left.news.push(News { frame, done: Vec::new(), found });
        }
    }

    fn is_pausing(&self) -> bool {
        self.pace == Pace::Pausing
    }

    /// Whether the search leaves what it has come to.
    fn pauses(&mut self) -> bool {
        match self.pace {
            Pace::Beginning => self.pace = Pace::Exploring,
            Pace::Exploring if (self.course.pauses)() => self.pace = Pace::Pausing,
            Pace::Exploring | Pace::Pausing => {}
        }
        self.is_pausing()
    }

    /// Explores all traces that extend the run.
    fn explore(&mut self) -> Result<(), Ended<P::Fault>> {
        if self.pauses() {
            let node = self.node();
            self.left.units.push(node);
            return Ok(());
        }
        let Some(event) = self.state.enabled(self.program).map_err(Ended::Fault)? else { return self.complete() };
        match self.state.label(event).access {
            Access::Store => {
                self.every_place(event, Self::explore)?;
                self.detect_races(event)
            }
            Access::Load => self.meet(event),
            Access::Update(_) => {
                match self.state.label(event).link {
                    Link::Locks => self.lock(event)?,
                    _ => self.meet(event)?,
                }
                self.detect_update_races(event)
            }
        }
    }

    fn complete(&mut self) -> Result<(), Ended<P::Fault>> {
        let state = &self.state;
        assert!(
            (0..state.labels.len()).all(|thread| state.is_over(thread)),
            "the search is stuck before the end of a trace"
        );
        assert!(
            are_as_committed(&state.trace, &state.labels),
            "an access that was committed became another one: a dependency is not followed"
        );
        self.counts.executions += 1;
        self.counts.events += self.run.len() as u64;
        let State { trace, model, reads, labels, reached, origins, .. } = state;
        match (self.course.visit)(&CompleteTrace { trace, reads, labels, reached, origins, model }) {
            Continue::Yes => {}
            Continue::Pause => self.pace = Pace::Pausing,
            Continue::Stop => return Err(Ended::Stopped),
        }
        Ok(())
    }

    /// Commits a store at every place that is allowed, and goes on from there.
    fn every_place(
        &mut self,
        event: EventId,
        mut go_on: impl FnMut(&mut Self) -> Result<(), Ended<P::Fault>>,
    ) -> Result<(), Ended<P::Fault>> {
        let location = self.state.location(event);
        let last = self.state.trace.coherence(location).len();
        let before = self.state.ready(event);
        let mut stuck = true;
        for place in self.state.floor(event, location)..=last {
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

    /// Explores all that a lock may do where nothing but locks can be committed: it locks next, or others do; or, if it is held,
    /// it waits for ever.
    fn lock(&mut self, event: EventId) -> Result<(), Ended<P::Fault>> {
        let location = self.state.location(event);
        let last = self.state.last(event);
        let before = self.state.ready(event);
        let own = is_free(&self.state.trace, self.program, location).then(|| {
            let trace = &self.state.trace;
            let source = trace.ranked(location, last).map(|source| trace.node(source).event);
            self.frames.push(Frame {
                alternatives: Alternatives::Holders,
                length: self.run.len(),
                waiting: Vec::new(),
                known: BTreeSet::from([vec![(event, Parameter::Source(source))]]),
                shared: None,
            });
            self.frames.len() - 1
        });
        let verdict = self.commit(event, last, &before, own)?;
        if verdict == Verdict::Allowed {
            self.explore()?;
            self.back();
        }
        self.stuck(verdict == Verdict::Refused);
        if let Some(frame) = own {
            self.follow_all(frame)?;
        }
        Ok(())
    }

    /// Explores all that a read may read from: first the writes that are there, then those that come later.
    fn meet(&mut self, event: EventId) -> Result<(), Ended<P::Fault>> {
        let location = self.state.location(event);
        let last = self.state.last(event);
        let before = self.state.ready(event);
        assert!(self.state.waits_for_own(event).is_none(), "an own store is not committed when its load is met");
        let number = self.frames.len();
        self.frames.push(Frame {
            alternatives: Alternatives::Sources,
            length: self.run.len(),
            waiting: Vec::new(),
            known: BTreeSet::new(),
            shared: None,
        });
        let mut stuck = true;
        for rank in self.state.floor(event, location)..=last {
            let verdict = self.commit(event, rank, &before, Some(number))?;
            stuck &= verdict == Verdict::Refused;
            if verdict == Verdict::Allowed {
                self.explore()?;
                self.back();
            }
        }
        self.stuck(stuck);
        self.follow_all(number)
    }

    /// Follows the continuations of the last frame until there are no more, and drops it. If the search pauses, what is below the frame
    /// has been left to others, who share it from now on.
    fn follow_all(&mut self, frame: usize) -> Result<(), Ended<P::Fault>> {
        while !self.is_pausing()
            && let Some(continuation) = self.frames[frame].waiting.pop()
        {
            self.traverse(&continuation, frame)?;
        }
        if self.is_pausing() {
            let name = self.node();
            let Frame { waiting, known, .. } = self.frames.pop().expect("it is the last one");
            let unit = |continuation: &Continuation| [name.clone(), units::pack(continuation)].concat();
            self.left.units.extend(waiting.iter().map(unit));
            let done = known.iter().map(|continuation| units::pack(continuation)).collect();
            self.memory.keep(&name, known);
            self.left.news.push(News { frame: name, done, found: Vec::new() });
        } else {
            self.frames.pop();
        }
        Ok(())
    }

    /// Follows a continuation to its end, and explores the traces from there.
    fn traverse(&mut self, continuation: &[(EventId, Parameter)], frame: usize) -> Result<(), Ended<P::Fault>> {
        let Some((&(event, parameter), rest)) = continuation.split_first() else { return self.explore() };
        // Its thread would have to go past too many rounds of a wait loop.
        if !is_fetched(&self.state.labels, event) {
            self.counts.blocked += 1;
            return Ok(());
        }
        let is_last = rest.is_empty();
        let rank = match parameter {
            Parameter::Any => return self.every_place(event, |search| search.traverse(rest, frame)),
            Parameter::Place(place) => usize::from(place),
            Parameter::Own => {
                let state = &self.state;
                let store = state.own_store(event).and_then(|store| state.trace.write_of(store));
                store.map_or(0, |store| state.trace.node(store).rank.into())
            }
            Parameter::Source(source) => {
                let trace = &self.state.trace;
                let write = source.map(|source| trace.write_of(source));
                match write {
                    None => 0,
                    Some(Some(write)) => usize::from(trace.node(write).rank),
                    Some(None) => panic!("a continuation has what its reads read from"),
                }
            }
        };
        let before = self.state.ready(event);
        if self.commit(event, rank, &before, is_last.then_some(frame))? != Verdict::Allowed {
            self.counts.blocked += 1;
            return Ok(());
        }
        self.traverse(rest, frame)?;
        self.back();
        let reads_anew = is_last && self.frames[frame].alternatives == Alternatives::Sources;
        if reads_anew && matches!(self.state.label(event).access, Access::Update(_)) {
            let source = self.state.trace.ranked(self.state.location(event), rank);
            self.detect_update_races_from(event, source)?;
        }
        Ok(())
    }

    /// Makes continuations for the reads that might have read from this store if it had been committed before them.
    fn detect_races(&mut self, store: EventId) -> Result<(), Ended<P::Fault>> {
        let before = self.state.ready(store);
        self.continue_with(store, Parameter::Any, &before, None);
        Ok(())
    }

    /// Makes continuations for the reads that might have read from this read-modify-write, once for each write that it may read
    /// from itself.
    fn detect_update_races(&mut self, update: EventId) -> Result<(), Ended<P::Fault>> {
        let state = &self.state;
        let location = state.location(update);
        let last = state.trace.coherence(location).len();
        for rank in state.floor(update, location)..=last {
            let source = self.state.trace.ranked(location, rank);
            self.detect_update_races_from(update, source)?;
        }
        Ok(())
    }

    fn detect_update_races_from(&mut self, update: EventId, source: Option<usize>) -> Result<(), Ended<P::Fault>> {
        let state = &self.state;
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
        let state = &self.state;
        let location = state.location(write);
        let taken = match parameter {
            Parameter::Source(_) => {
                let rank = source.map_or(0, |source| state.trace.node(source).rank.into());
                state.trace.update_behind(location, rank)
            }
            Parameter::Any | Parameter::Place(_) | Parameter::Own => None,
        };
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
        let state = &self.state;
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
