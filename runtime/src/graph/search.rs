//! The search for execution graphs of the program: what its threads do, which graphs count, what is wrong with them.
//!
//! A thread that waits, in a loop or for a mutex, has read something for which it waits to change. If that is the last
//! write there, in coherence order, the thread waits for ever; else the graph is no execution, but another one is, in
//! which the thread reads a later write at once. So a graph counts if all who wait have read last writes.

use engine::atomicity;
use engine::event::{Object, Thread};
use engine::explore::Counts as Counting;
use engine::explore::rsmc::{self, CompleteTrace, Continue, Counts, Ended};
use engine::graph::set::Set;
use engine::graph::trace::Part;
use engine::graph::{EventId, Label, Labels, Program, Reached, Value};
use engine::model::power::Power;
use engine::model::pso::Pso;
use engine::model::sc::Sc;
use engine::model::tso::Tso;
use engine::model::{MemoryModel, Model};
use engine::progress::{Blocked, Waits, causes};
use protocol::{
    Explore, FailureKind, GraphEvent, Operation, Place, Role, Schedule, Silence, SiteUse, StoppedBy, Trace, TraceEvent,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Instant;

use super::cycles;
use super::lifetimes;
use super::transactions::{self, Judgement, Told};
use super::{Graph, Recorded, Stop};
use crate::hooks::checker::observations::{self, Observed};
use crate::process::faults::{self, Fault};
use crate::process::sites::Record;
use crate::process::{fiber, scratch};
use crate::run::{End, Runtime, with};
use crate::schedule::stuck::{headline, name};
use crate::search::Stopped;
use crate::state::globals;
use crate::state::naming::{Named, tell_apart};
use crate::state::recorder::{Failure, Note, site_use, target_of};

/// Why the search cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Broken {
    /// A location had to be cut.
    Cut,
    /// A thread makes more accesses than there is room for.
    TooManyEvents,
    /// A budget is used up.
    Budget,
    /// A thread performed no visible operation for as long as is allowed.
    Silent(Silence),
    /// The program did what is not supported.
    Unsupported { what: String, place: Place },
    /// A thread did not do what it did before.
    Nondeterministic(Thread),
}

/// What ends a search before its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// So many seconds.
    pub(crate) seconds: Option<f64>,
    /// So many executions.
    pub(crate) executions: Option<u64>,
}

/// What is kept of a thread's runs: so many of them.
const KEPT: usize = 1 << 14;

type Fetched<const W: usize> = (Labels<W>, Reached);
/// What a thread does, by what its reads returned.
type Answers<const W: usize> = FxHashMap<Vec<Option<Value>>, Fetched<W>>;

/// The program, as a search sees it.
struct Native<const W: usize> {
    budget: RefCell<Budget>,
    /// So many accesses a thread may make.
    limit: usize,
    /// The same threads are run with the same reads again and again: what they did, by thread and origin.
    known: RefCell<FxHashMap<(usize, u32), Answers<W>>>,
}

struct Budget {
    seconds: Option<f64>,
    begun: Instant,
    /// The tick at which the clock was last read.
    looked: u64,
}

impl Budget {
    fn is_used_up(&mut self) -> bool {
        if faults::interrupted() || self.looked == faults::ticks() {
            return faults::interrupted();
        }
        self.looked = faults::ticks();
        self.seconds.is_some_and(|limit| self.begun.elapsed().as_secs_f64() >= limit)
    }
}

impl<const W: usize> Native<W> {
    fn new(seconds: Option<f64>, begun: Instant, max_events: u64) -> Self {
        let budget = RefCell::new(Budget { seconds, begun, looked: faults::ticks() });
        let limit = usize::try_from(max_events).unwrap_or(usize::MAX).min(Set::<W>::CAPACITY);
        Self { budget, limit, known: RefCell::default() }
    }

    /// Runs a thread from its beginning.
    fn run(thread: usize, origin: u32, reads: &[Option<Value>]) -> Result<Reached, Broken> {
        let thread = Thread::from_index(thread);
        with(|runtime| runtime.begin_run(thread, origin, reads, Set::<W>::CAPACITY));
        fiber::run(thread);
        scratch::reset();
        faults::progress();
        let fault = faults::take();
        with(|runtime| runtime.end_run(fault)).expect("there is a runtime")
    }

    fn fetch_anew(thread: usize, origin: u32, reads: &[Option<Value>]) -> Result<Fetched<W>, Broken> {
        let reached = Self::run(thread, origin, reads)?;
        let labels = with(|runtime| {
            let graph = runtime.graph_mut();
            graph.run.recorded.iter().map(|recorded| label(graph, recorded)).collect::<Labels<W>>()
        });
        Ok((labels.unwrap_or_default(), reached))
    }
}

fn label<const W: usize>(graph: &Graph, recorded: &Recorded) -> Label<W> {
    let depends = &recorded.depends;
    let set = |label| graph.sets.set(label);
    Label {
        access: recorded.access,
        location: Some(recorded.location),
        written: recorded.written,
        address_from: set(depends.address),
        value_from: set(depends.value),
        control_from: set(depends.control),
        synchronized_from: set(depends.synchronized),
        addresses_before: set(depends.addresses_before),
        fences: recorded.fences,
        link: recorded.link,
    }
}

impl<const W: usize> Program<W> for Native<W> {
    type Fault = Broken;

    fn threads(&self) -> usize {
        1
    }

    fn locations(&self) -> usize {
        with(|runtime| runtime.graph_mut().places.len()).unwrap_or(0)
    }

    fn initial(&self, location: engine::event::Location) -> Value {
        with(|runtime| runtime.graph_mut().places.initial(location)).unwrap_or(0)
    }

    fn fetch(&self, thread: usize, origin: u32, reads: &[Option<Value>]) -> Result<Fetched<W>, Broken> {
        if self.budget.borrow_mut().is_used_up() {
            return Err(Broken::Budget);
        }
        if let Some(known) = self.known.borrow().get(&(thread, origin)).and_then(|answers| answers.get(reads)) {
            return Ok(known.clone());
        }
        let fetched = Self::fetch_anew(thread, origin, reads)?;
        if fetched.0.len() > self.limit {
            return Err(Broken::TooManyEvents);
        }
        let mut known = self.known.borrow_mut();
        let answers = known.entry((thread, origin)).or_default();
        if answers.len() == KEPT {
            answers.clear();
        }
        answers.insert(reads.to_vec(), fetched.clone());
        Ok(fetched)
    }
}

impl Runtime {
    /// From now on the thread runs from its beginning.
    fn begin_run(&mut self, thread: Thread, origin: u32, reads: &[Option<Value>], limit: usize) {
        self.graph_mut().begin(thread, origin, reads, limit);
        self.heap.restart(thread);
        self.locals.restart(thread);
        self.threads.restart(thread);
        self.keys.restart(thread);
        self.restart_process();
        self.run_for_graph(thread);
    }

    /// How far the thread came.
    fn end_run(&mut self, fault: Option<(Fault, u64)>) -> Result<Reached, Broken> {
        let end = match fault {
            Some((Fault::Silent, _)) if faults::interrupted() => return Err(Broken::Budget),
            Some((Fault::Silent, program_counter)) => return Err(Broken::Silent(self.silent(program_counter))),
            Some((fault, program_counter)) => Some(End::Failed(self.fault(fault, program_counter))),
            None => self.end.take(),
        };
        match end {
            None => {}
            Some(End::Failed(failure)) => return Ok(Reached::Fails(self.graph_mut().fails(failure))),
            Some(End::StackOverflow) => {
                let failure = self.overflow();
                return Ok(Reached::Fails(self.graph_mut().fails(failure)));
            }
            Some(End::Assumed) => return Ok(Reached::Assumes),
            Some(End::Unsupported { what, place }) => return Err(Broken::Unsupported { what, place }),
            Some(End::MaxEvents | End::IdleRounds | End::Nobody(_)) => {
                unreachable!("threads are run alone, and counted elsewhere")
            }
        }
        match self.graph_mut().run.stop.take().expect("a run stops for a reason") {
            Stop::Reached(reached) => Ok(reached),
            Stop::TooManyEvents => Err(Broken::TooManyEvents),
            Stop::Cut => Err(Broken::Cut),
        }
    }
}

impl Runtime {
    /// The places of the edges of a cycle of transactions.
    fn edges_in_graph(&mut self, cycle: &atomicity::Violation, events: &[(Thread, Note)]) -> BTreeSet<[u32; 2]> {
        let edges = cycle.edges.iter().map(|edge| [edge.from, edge.to]);
        edges.map(|edge| edge.map(|event| self.sites.site(events[event as usize].1.site).0)).collect()
    }
}

impl Graph {
    /// The number of a failure.
    fn fails(&mut self, failure: Failure) -> u32 {
        let same = |other: &Failure| (&other.message, &other.sites) == (&failure.message, &failure.sites);
        let known = self.failures.iter().position(|other| other.kind == failure.kind && same(other));
        let index = known.unwrap_or_else(|| {
            self.failures.push(failure);
            self.failures.len() - 1
        });
        u32::try_from(index).expect("fewer than 2^32 failures")
    }
}

/// What a graph is.
enum Worth {
    /// An execution: these threads wait for ever, and these failures show in it.
    Execution { waiting: Vec<usize>, failures: Vec<u32> },
    /// None: somebody waits for what has changed, or an assumption does not hold.
    Nothing,
}

/// Whether what a thread has seen since this access is still there: of memory the last writes, and of other objects those
/// that it has only looked at.
fn sees_the_last<const W: usize>(execution: &CompleteTrace<'_, W>, thread: usize, since: usize) -> bool {
    let trace = execution.trace;
    let last = |number: usize| {
        let node = trace.node(number);
        usize::from(node.rank) == trace.coherence(node.location).len()
    };
    (since..execution.labels[thread].len()).map(|index| trace.nodes_of(EventId::new(thread, index))).all(|mut nodes| {
        let Some(end) = nodes.next_back() else { return true };
        let is_memory = || with(|runtime| runtime.graph_mut().places.is_memory(trace.node(end).location)) == Some(true);
        last(end) || (trace.node(end).writes() && !is_memory())
    })
}

fn worth<const W: usize>(execution: &CompleteTrace<'_, W>) -> Worth {
    let (mut waiting, mut failures, mut exits) = (Vec::new(), Vec::new(), false);
    for (thread, &reached) in execution.reached.iter().enumerate() {
        match reached {
            Reached::Waits { since } if sees_the_last(execution, thread, since.into()) => waiting.push(thread),
            Reached::Assumes | Reached::Waits { .. } => return Worth::Nothing,
            Reached::Fails(failure) => failures.push(failure),
            Reached::Exits => exits = true,
            Reached::Branch => waiting.push(thread),
            Reached::End => {}
        }
    }
    if exits || !failures.is_empty() {
        waiting.clear();
    }
    Worth::Execution { waiting, failures }
}

/// How many of the accesses are events: the beginnings and ends of threads are none.
fn events<const W: usize>(execution: &CompleteTrace<'_, W>) -> u64 {
    let ends = |thread: usize| {
        let ended = execution.reached[thread] == Reached::End && thread > 0;
        usize::from(thread > 0) + usize::from(ended)
    };
    let lengths = execution.labels.iter().enumerate().filter(|(_, labels)| !labels.is_empty());
    lengths.map(|(thread, labels)| (labels.len() - ends(thread).min(labels.len())) as u64).sum()
}

/// What each thread did, in the program's terms.
pub(super) type Notes = Vec<Vec<Recorded>>;

pub(super) fn notes<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Notes, Broken> {
    let mut notes = Notes::new();
    run_each(execution, |graph| notes.push(graph.run.recorded.clone()))?;
    Ok(notes)
}

/// Runs each thread as in this execution, and shows what it did; of one that was never created, nothing.
pub(super) fn run_each<const W: usize>(
    execution: &CompleteTrace<'_, W>,
    mut show: impl FnMut(&mut Graph),
) -> Result<(), Broken> {
    for (thread, labels) in execution.labels.iter().enumerate() {
        if labels.is_empty() {
            with(|runtime| runtime.graph_mut().begin(Thread::from_index(thread), 0, &[], 0));
        } else {
            Native::<W>::run(thread, execution.origins[thread], &execution.reads[thread])?;
        }
        with(|runtime| show(runtime.graph_mut()));
    }
    Ok(())
}

/// The same, with what stands between the accesses.
fn tell<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Vec<Told>, Broken> {
    let mut told = Vec::new();
    run_each(execution, |Graph { run, .. }| {
        told.push(Told { accesses: run.recorded.clone(), asides: run.asides.clone() });
    })?;
    Ok(told)
}

/// Looks for transactions of the execution that are not serializable, if that is wanted.
fn watch_transactions<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(), Broken> {
    if with(|runtime| runtime.recorder.watches_transactions()) != Some(true) {
        return Ok(());
    }
    let Judgement { violations, events } = transactions::judge(execution, &tell(execution)?);
    for violation in violations {
        let edges = with(|runtime| runtime.edges_in_graph(&violation, &events)).expect("there is a runtime");
        let is_new = with(|runtime| runtime.recorder.is_new_cycle(&edges)) == Some(true);
        let schedule = if is_new { schedule(execution)? } else { Schedule::default() };
        with(|runtime| runtime.recorder.cycle_in_graph(&violation, edges, &events, schedule));
    }
    Ok(())
}

/// The graph as it is stored: an event for each access, in the order of their commits.
fn describe<const W: usize>(execution: &CompleteTrace<'_, W>, notes: &Notes) -> Vec<GraphEvent> {
    let trace = execution.trace;
    let mut numbers: FxHashMap<EventId, u64> = FxHashMap::default();
    let mut locations = Vec::new();
    let mut events = Vec::new();
    for node in trace.nodes() {
        if numbers.contains_key(&node.event) {
            continue;
        }
        numbers.insert(node.event, events.len() as u64);
        let recorded = &notes[usize::from(node.event.thread)][usize::from(node.event.index)];
        let record = Record::behind(recorded.note.site);
        let parts = || trace.nodes_of(node.event).map(|part| trace.node(part));
        let bytes = u64::MAX >> (64 - 8 * u32::from(recorded.width.max(1)));
        let is_choice = recorded.note.operation == Operation::Choose;
        // The numbers of objects' states differ from search to search.
        let shown = |value: Value| match recorded.width {
            0 if is_choice => value.cast_unsigned(),
            0 => 0,
            _ => value.cast_unsigned() & bytes,
        };
        let write = parts().find(|part| part.writes());
        let source = match node.part {
            Part::Read(Some(source)) => Some(numbers[&trace.node(source).event]),
            _ => None,
        };
        let location = locations.iter().position(|&other| other == node.location).unwrap_or_else(|| {
            locations.push(node.location);
            locations.len() - 1
        });
        events.push(GraphEvent {
            location: u32::try_from(location).unwrap_or(u32::MAX),
            thread: node.event.thread.into(),
            index: node.event.index.into(),
            place: record.place(),
            function: record.function().to_owned(),
            operation: recorded.note.operation,
            target: target_of(&recorded.note, recorded.address),
            address: recorded.address as u64,
            width: recorded.width.into(),
            read: parts().find(|part| !part.writes()).map(|part| shown(part.value)),
            written: write.map(|part| shown(part.value)),
            source,
            rank: write.map_or(0, |part| part.rank.into()),
            overtakes: overtaken(execution, node.event),
        });
    }
    let named = events.iter_mut().map(|event| Named { name: &mut event.target, address: event.address });
    with(|runtime| tell_apart(named.collect(), &runtime.globals));
    events
}

/// The accesses before one in its thread that it may overtake under the model.
fn overtaken<const W: usize>(execution: &CompleteTrace<'_, W>, event: EventId) -> Vec<u32> {
    let earlier = (0..event.index).map(|index| EventId { index, ..event });
    let committed = earlier.filter(|&earlier| execution.trace.is_committed(earlier));
    committed.filter(|&earlier| !execution.keeps(earlier, event)).map(|earlier| earlier.index.into()).collect()
}

/// The event with which a thread waits for ever, and those since which it does.
fn waits_since<const W: usize>(execution: &CompleteTrace<'_, W>, thread: usize, notes: &Notes) -> usize {
    match execution.reached[thread] {
        Reached::Waits { since } => since.into(),
        _ => notes[thread].len() - 1,
    }
}

/// What a thread waits for that waits for ever, and who could end that.
fn blocked<const W: usize>(execution: &CompleteTrace<'_, W>, thread: usize, notes: &Notes) -> Blocked {
    let since = waits_since(execution, thread, notes);
    let Some(recorded) = notes[thread].get(since) else {
        return Blocked { thread: Thread::from_index(thread), waits: Waits::Change, by: Vec::new() };
    };
    let object = Object(recorded.location.0);
    let mut read = execution.trace.nodes_of(EventId::new(thread, since)).map(|node| execution.trace.node(node).value);
    let (waits, by) = match recorded.note.operation {
        Operation::Join(other) => (Waits::End(other), vec![other]),
        Operation::Lock => {
            let owner = read.next().and_then(|value| usize::try_from(value - 1).ok()).map(Thread::from_index);
            (Waits::Release(object), owner.into_iter().collect())
        }
        Operation::ReadLock | Operation::WriteLock | Operation::OnceEnter => {
            let holders = with(|runtime| {
                let state = read.next().and_then(|value| runtime.graph_mut().states.get(value).cloned());
                state.map(|state| state.holders())
            });
            (Waits::Release(object), holders.flatten().unwrap_or_default())
        }
        Operation::WakeUp | Operation::SemaphoreWait => (Waits::Wake(object), Vec::new()),
        Operation::BarrierLeave => (Waits::Arrival(object), Vec::new()),
        _ => (Waits::Change, Vec::new()),
    };
    let alone = since + 1 == notes[thread].len();
    let (waits, by) = if alone { (waits, by) } else { (Waits::Change, Vec::new()) };
    Blocked { thread: Thread::from_index(thread), waits, by }
}

/// What is said of a thread that goes round a loop for ever in which it does nothing.
fn endless(thread: Thread) -> (SiteUse, String) {
    let record = with(|runtime| runtime.threads.stands_at(thread)).unwrap_or(std::ptr::null());
    let site = site_use(Role::Waits, thread, record, Operation::Loop);
    let part = format!("{} goes round the loop at {}:{}", name(thread), site.place.file, site.place.line);
    (site, part)
}

/// What is wrong where these threads wait for ever.
fn stuck<const W: usize>(execution: &CompleteTrace<'_, W>, waiting: &[usize], notes: &Notes) -> Failure {
    let mut sites = Vec::new();
    let mut parts = Vec::new();
    for &thread in waiting {
        let who = name(Thread::from_index(thread));
        let since = waits_since(execution, thread, notes);
        let mut reads: Vec<SiteUse> = Vec::new();
        for recorded in notes[thread][since..].iter().filter(|recorded| recorded.access.reads()) {
            let operation = recorded.note.operation;
            let site = site_use(Role::Waits, Thread::from_index(thread), recorded.note.site, operation);
            if !reads.contains(&site) {
                reads.push(site);
            }
        }
        let Some(first) = notes[thread].get(since) else {
            let (site, part) = endless(Thread::from_index(thread));
            sites.push(site);
            parts.push(part);
            continue;
        };
        let what = match first.note.operation {
            Operation::Join(other) => format!("the end of {}", name(other)),
            _ => target_of(&first.note, first.address),
        };
        let place = Record::behind(first.note.site).place();
        parts.push(format!("{who} waits at {}:{} for {what}", place.file, place.line));
        sites.extend(reads);
    }
    let blocked: Vec<Blocked> = waiting.iter().map(|&thread| blocked(execution, thread, notes)).collect();
    let (kind, headline) = headline(&causes(&blocked));
    Failure { kind, message: format!("{headline}: {}", parts.join("; ")), sites, program_counter: None }
}

/// Takes a complete graph into the counts, with what is wrong with it.
fn take<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(), Broken> {
    let ended = lifetimes::failures(execution)?;
    let Worth::Execution { waiting, failures } = worth(execution) else {
        with(|runtime| runtime.recorder.blocked += 1);
        let is_assumed = execution.reached.contains(&Reached::Assumes);
        return if is_assumed { Ok(()) } else { fail(execution, ended, Counting::AsAnother) };
    };
    with(|runtime| runtime.recorder.count_graph(events(execution)));
    watch_transactions(execution)?;
    let mut found: Vec<Failure> = with(|runtime| {
        let graph = runtime.graph_mut();
        failures.iter().map(|&failure| graph.failures[failure as usize].clone()).collect()
    })
    .unwrap_or_default();
    if !waiting.is_empty() {
        found.push(stuck(execution, &waiting, &notes(execution)?));
    }
    found.extend(ended);
    if found.is_empty() {
        take_outcome(execution)?;
    }
    cycles::watch(execution, &found)?;
    fail(execution, found, Counting::Once)
}

/// Takes what is wrong with a graph into the findings.
fn fail<const W: usize>(execution: &CompleteTrace<'_, W>, found: Vec<Failure>, counts: Counting) -> Result<(), Broken> {
    for failure in found {
        let known = with(|runtime| runtime.recorder.is_known(&failure)) == Some(true);
        let schedule = if known { Schedule::default() } else { schedule(execution)? };
        with(|runtime| runtime.recorder.fail_as(failure, schedule, counts));
    }
    Ok(())
}

/// Takes what the threads observe in the execution, which does not fail.
fn take_outcome<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(), Broken> {
    let mut observed = Vec::new();
    if with(|runtime| runtime.recorder.observes()) == Some(true) {
        for thread in (0..execution.labels.len()).filter(|&thread| !execution.labels[thread].is_empty()) {
            Native::<W>::run(thread, execution.origins[thread], &execution.reads[thread])?;
            observed.extend(with(|runtime| runtime.observed_in_graph(thread)));
        }
    }
    let outcome = observations::outcome(observed.iter().map(|(path, observed)| (path.as_slice(), observed)));
    with(|runtime| runtime.recorder.take_outcome(outcome));
    Ok(())
}

pub(super) fn schedule<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Schedule, Broken> {
    let notes = notes(execution)?;
    let (threads, model) = with(|runtime| {
        let graph = runtime.graph_mut();
        (graph.paths.clone(), graph.model)
    })
    .expect("there is a runtime");
    let graph = protocol::Graph { model, events: describe(execution, &notes) };
    Ok(Schedule { threads, graph: Some(graph), ..Schedule::default() })
}

/// Whether the threads do again what they did in this execution.
fn repeats<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(), Broken> {
    for (thread, labels) in execution.labels.iter().enumerate().filter(|(_, labels)| !labels.is_empty()) {
        let (again, reached) = Native::<W>::fetch_anew(thread, execution.origins[thread], &execution.reads[thread])?;
        let alike = |(one, other): (&Label<W>, &Label<W>)| {
            (one.access, one.location, one.written, one.fences, one.link)
                == (other.access, other.location, other.written, other.fences, other.link)
        };
        let same = again.len() == labels.len() && again.iter().zip(labels.iter()).all(alike);
        if !same || reached != execution.reached[thread] {
            return Err(Broken::Nondeterministic(Thread::from_index(thread)));
        }
    }
    Ok(())
}

/// Explores all execution graphs, with sets for more and more accesses until there is room for all.
pub(crate) fn search(job: &Explore, limits: &Limits) -> Stopped {
    if with(|runtime| runtime.graph_mut().model) == Some(MemoryModel::Power) && !globals::has_labels() {
        let what = "a program of which some file was compiled without `fencehound cc --power`, under --model power";
        return Stopped::Unsupported { what: what.to_owned(), place: Place::default() };
    }
    let begun = Instant::now();
    let sizes = [sized::<1>, sized::<4>, sized::<16>];
    let mut size = 0;
    loop {
        with(Runtime::begin_search);
        match sizes[size](job, limits, begun) {
            Ok(stopped) => return stopped,
            Err(Broken::Cut) => {}
            Err(Broken::TooManyEvents) if size + 1 < sizes.len() => size += 1,
            Err(Broken::TooManyEvents) => return Stopped::Limit(StoppedBy::Events),
            Err(Broken::Budget) => return Stopped::Open,
            Err(Broken::Silent(silence)) => return Stopped::Silent(silence),
            Err(Broken::Unsupported { what, place }) => return Stopped::Unsupported { what, place },
            Err(Broken::Nondeterministic(thread)) => {
                with(|runtime| runtime.fails_to_repeat(thread));
                return Stopped::Found;
            }
        }
    }
}

impl Runtime {
    fn begin_search(&mut self) {
        let graph = self.graph_mut();
        graph.places.reset();
        graph.failures.clear();
        self.recorder.restart(&[]);
        self.recorder.trace();
    }

    /// Memory is accessed in the pieces in which it was when the graph was found.
    fn cut_as_in(&mut self, graph: &protocol::Graph) {
        for event in graph.events.iter().filter(|event| event.width > 0) {
            let address = usize::try_from(event.address).unwrap_or(usize::MAX);
            if let Some(end) = address.checked_add(event.width as usize) {
                self.graph_mut().places.cut_around(address..end);
            }
        }
    }

    /// The path of creation of the thread, which ran last, and what it has observed.
    fn observed_in_graph(&mut self, thread: usize) -> (Vec<u32>, Observed) {
        let observed = std::mem::take(&mut self.threads.at(Thread::from_index(thread)).observed);
        (self.graph_mut().paths[thread].clone(), observed)
    }

    fn fails_to_repeat(&mut self, thread: Thread) {
        let sites = vec![site_use(Role::At, thread, self.threads.stands_at(thread), Operation::Other)];
        let message = format!("{} did not do the same when its reads returned the same", name(thread));
        let failure = Failure { kind: FailureKind::Nondeterministic, message, sites, program_counter: None };
        let threads = self.graph_mut().paths.clone();
        let schedule = Schedule { threads, ..Schedule::default() };
        self.recorder.fail_as(failure, schedule, engine::explore::Counts::Once);
    }
}

fn sized<const W: usize>(job: &Explore, limits: &Limits, begun: Instant) -> Result<Stopped, Broken> {
    match with(|runtime| runtime.graph_mut().model).expect("there is a runtime") {
        MemoryModel::Sc => under::<W, Sc<W>>(job, limits, begun),
        MemoryModel::Tso => under::<W, Tso<W>>(job, limits, begun),
        MemoryModel::Pso => under::<W, Pso<W>>(job, limits, begun),
        MemoryModel::Power => under::<W, Power<W>>(job, limits, begun),
    }
}

fn under<const W: usize, M: Model<W>>(job: &Explore, limits: &Limits, begun: Instant) -> Result<Stopped, Broken> {
    let native = Native::<W>::new(limits.seconds, begun, job.limits.max_events);
    let mut outcome: Result<Option<Stopped>, Broken> = Ok(None);
    let mut first = true;
    let mut visit = |execution: &CompleteTrace<'_, W>| {
        let taken = if std::mem::take(&mut first) { repeats(execution) } else { Ok(()) };
        if let Err(broken) = taken.and_then(|()| take(execution)) {
            outcome = Err(broken);
            return Continue::Stop;
        }
        let enough = with(|runtime| {
            let found = job.stop_at_first && runtime.recorder.has_found();
            let executions = runtime.recorder.executions;
            if found {
                return Some(Stopped::Found);
            }
            limits.executions.is_some_and(|limit| executions >= limit).then_some(Stopped::Open)
        });
        outcome = Ok(enough.flatten());
        if matches!(outcome, Ok(None)) { Continue::Yes } else { Continue::Stop }
    };
    let (Counts { blocked, .. }, result) = rsmc::explore::<W, M, _>(&native, &mut visit);
    with(|runtime| runtime.recorder.blocked += blocked);
    match result {
        Ok(()) => Ok(Stopped::Complete),
        Err(Ended::Stopped) => outcome.map(|stopped| stopped.unwrap_or(Stopped::Complete)),
        Err(Ended::TooManyEvents) => Err(Broken::TooManyEvents),
        Err(Ended::Fault(broken)) => Err(broken),
    }
}

/// What a replay gave: the events and what is wrong with them, or why the program does not follow the graph.
pub(crate) fn replay(graph: &protocol::Graph) -> Result<Trace, String> {
    let sizes = [replay_sized::<1>, replay_sized::<4>, replay_sized::<16>];
    let mut size = 0;
    loop {
        with(Runtime::begin_search);
        with(|runtime| runtime.cut_as_in(graph));
        return match sizes[size](graph) {
            Ok(Ok(())) => {
                let found = with(|runtime| runtime.recorder.take_found()).unwrap_or_default();
                let violations = found.into_iter().filter_map(|one| one.violation).map(|one| *one).collect();
                Ok(Trace { events: graph.events.iter().map(event).collect(), violations })
            }
            Ok(Err(number)) => Err(format!("event {number} of the graph cannot happen")),
            Err(Broken::Cut) => continue,
            Err(Broken::TooManyEvents) if size + 1 < sizes.len() => {
                size += 1;
                continue;
            }
            Err(Broken::Unsupported { what, place }) => Err(format!("{what} at {}:{}", place.file, place.line)),
            Err(broken) => Err(format!("the run ended early: {broken:?}")),
        };
    }
}

fn event(event: &GraphEvent) -> TraceEvent {
    TraceEvent {
        thread: event.thread,
        place: event.place.clone(),
        function: event.function.clone(),
        operation: event.operation,
        target: event.target.clone(),
        address: event.address,
        width: event.width,
        read: event.read.filter(|_| event.width > 0 || event.operation == Operation::Choose),
        written: event.written.filter(|_| event.width > 0),
        read_above: Vec::new(),
        written_above: Vec::new(),
        pending: Vec::new(),
    }
}

fn replay_sized<const W: usize>(graph: &protocol::Graph) -> Result<Result<(), usize>, Broken> {
    match graph.model {
        MemoryModel::Sc => replay_under::<W, Sc<W>>(graph),
        MemoryModel::Tso => replay_under::<W, Tso<W>>(graph),
        MemoryModel::Pso => replay_under::<W, Pso<W>>(graph),
        MemoryModel::Power => replay_under::<W, Power<W>>(graph),
    }
}

fn replay_under<const W: usize, M: Model<W>>(graph: &protocol::Graph) -> Result<Result<(), usize>, Broken> {
    let native = Native::<W>::new(None, Instant::now(), u64::MAX);
    let mut taken = Ok(true);
    let mut visit = |execution: &CompleteTrace<'_, W>| {
        taken = take(execution).and_then(|()| Ok(describe(execution, &notes(execution)?) == graph.events));
    };
    let followed = match rsmc::follow::<W, M, _>(&native, &commits(graph), &mut visit) {
        Ok(followed) => followed,
        Err(Ended::Fault(broken)) => return Err(broken),
        Err(Ended::TooManyEvents | Ended::Stopped) => return Err(Broken::TooManyEvents),
    };
    Ok(followed.and(if taken? { Ok(()) } else { Err(graph.events.len()) }))
}

/// The events with the ranks at the time of their commits.
fn commits(graph: &protocol::Graph) -> Vec<(EventId, usize)> {
    let names = graph.events.iter().map(|event| EventId::new(event.thread as usize, event.index as usize));
    names.zip(graph.commits()).collect()
}
