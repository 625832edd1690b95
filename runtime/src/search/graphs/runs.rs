//! Runs of threads, each alone, and what they did: execution graphs are made of these.

use std::cell::RefCell;
use std::time::Instant;

use engine::event::Thread;
use engine::explore::rsmc::CompleteTrace;
use engine::graph::set::Set;
use engine::graph::trace::Part;
use engine::graph::{EventId, Label, Labels, Program, Reached, Value};
use protocol::{GraphEvent, Operation, Packed, Place, Schedule, Silence};
use rustc_hash::FxHashMap;

use crate::hooks::pthread::threads;
use crate::process::faults::{self, Fault};
use crate::process::sites::Record;
use crate::process::{debugger, fiber, scratch, ticks};
use crate::run::{Runtime, with};
use crate::search::ends;
use crate::state::failure::Failure;
use crate::state::graph::{Graph, Recorded, Stop};
use crate::state::naming::{Named, tell_apart};
use crate::state::operation::target_of;
use crate::state::turn::End;

/// The reason why the search cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Broken {
    /// A location had to be cut.
    Cut,
    /// A thread makes more accesses than there is room for.
    TooManyEvents,
    /// A budget is used up.
    Budget,
    /// A thread performed no visible operation for as long as is allowed.
    Silent(Silence),
    /// The program did something that is not supported.
    Unsupported { what: String, place: Place },
    /// A thread did not do what it did before.
    Nondeterministic(Thread),
    /// The program did not come again to where a unit begins.
    Strayed,
}

/// The most runs of a thread that are kept.
const KEPT: usize = 1 << 14;

/// The accesses of a thread in a run, and how far it comes.
type Fetched<const W: usize> = (Labels<W>, Reached);
/// The runs of a thread, by what its reads returned.
type Answers<const W: usize> = FxHashMap<Vec<Option<Value>>, Fetched<W>>;

/// The program, as the engine's search sees it.
pub(crate) struct Native<const W: usize> {
    /// The time that the search may take; `None` if it is asked to pause instead.
    budget: RefCell<Option<Budget>>,
    /// The most accesses that a thread may make.
    limit: usize,
    /// The runs of threads, by thread and origin, as the same ones are run with the same reads again and again.
    known: RefCell<FxHashMap<(usize, u32), Answers<W>>>,
}

/// The time that a search may take.
pub(crate) struct Budget {
    seconds: Option<f64>,
    begun: Instant,
    /// The tick at which the clock was last read.
    looked: u64,
}

impl Budget {
    /// Makes the budget of so many seconds since this moment, or any number.
    pub(crate) fn since(begun: Instant, seconds: Option<f64>) -> Self {
        Self { seconds, begun, looked: ticks::ticks() }
    }

    /// Whether the time is used up, or Ctrl-C was pressed.
    pub(crate) fn is_used_up(&mut self) -> bool {
        if ticks::interrupted() || self.looked == ticks::ticks() {
            return ticks::interrupted();
        }
        self.looked = ticks::ticks();
        self.seconds.is_some_and(|limit| self.begun.elapsed().as_secs_f64() >= limit)
    }
}

impl<const W: usize> Native<W> {
    /// Makes a program to search within this time, if any is given, and with at most `max_events` accesses a thread.
    pub(crate) fn new(budget: Option<Budget>, max_events: u64) -> Self {
        let limit = usize::try_from(max_events).unwrap_or(usize::MAX).min(Set::<W>::CAPACITY);
        Self { budget: RefCell::new(budget), limit, known: RefCell::default() }
    }

    /// Runs a thread from its beginning, and returns how far it came.
    pub(crate) fn run(thread: usize, origin: u32, reads: &[Option<Value>]) -> Result<Reached, Broken> {
        let thread = Thread::from_index(thread);
        with(|runtime| begin_run(runtime, thread, origin, reads, Set::<W>::CAPACITY));
        debugger::begin(thread);
        fiber::run(thread, threads::body);
        scratch::reset();
        ticks::progress();
        let fault = faults::take();
        with(|runtime| end_run(runtime, fault)).expect("there is a runtime")
    }

    /// Runs a thread from its beginning, and returns what it did.
    pub(crate) fn fetch_anew(thread: usize, origin: u32, reads: &[Option<Value>]) -> Result<Fetched<W>, Broken> {
        let reached = Self::run(thread, origin, reads)?;
        let labels = with(|runtime| {
            let graph = runtime.graph_mut();
            let numbered = graph.run.recorded.iter().enumerate();
            let labels = numbered.map(|(index, recorded)| Label {
                is_kept: graph.run.kept.contains(&index),
                gone_past: graph.run.gone_past_before(index),
                ..label(graph, recorded)
            });
            labels.collect::<Labels<W>>()
        });
        Ok((labels.unwrap_or_default(), reached))
    }
}

/// Returns an access in the engine's form.
pub(crate) fn label<const W: usize>(graph: &Graph, recorded: &Recorded) -> Label<W> {
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
        decided_by: set(depends.decided),
        annotations: recorded.annotations,
        fences: recorded.fences,
        link: recorded.link,
        is_kept: false,
        gone_past: 0,
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
        if self.budget.borrow_mut().as_mut().is_some_and(Budget::is_used_up) {
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

/// The accesses of each thread, in the program's terms.
pub(crate) type Notes = Vec<Vec<Recorded>>;

/// Runs each thread as in this execution, and returns what it did.
pub(crate) fn notes<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Notes, Broken> {
    let mut notes = Notes::new();
    run_each(execution, |graph| notes.push(graph.run.recorded.clone()))?;
    Ok(notes)
}

/// Runs each thread as in this execution, and shows what it did; for a thread that was never created, nothing.
pub(crate) fn run_each<const W: usize>(
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

/// Returns the graph as it is stored: an event for each access, in the order of their commits.
pub(crate) fn describe<const W: usize>(execution: &CompleteTrace<'_, W>, notes: &Notes) -> Vec<GraphEvent> {
    let trace = execution.trace;
    // An event of two nodes has them one behind the other.
    let mut committed: Vec<EventId> = trace.nodes().iter().map(|node| node.event).collect();
    committed.dedup();
    // All have their numbers first: a load may read from a store of its thread that is committed later.
    let numbers: FxHashMap<EventId, u64> = committed.iter().copied().zip(0..).collect();
    let (mut locations, mut sites, mut events) = (Vec::new(), Vec::new(), Vec::new());
    for event in committed {
        let node = trace.node(trace.nodes_of(event).start);
        let recorded = &notes[usize::from(event.thread)][usize::from(event.index)];
        let record = Record::behind(recorded.note.site);
        sites.push(recorded.note.site);
        let parts = || trace.nodes_of(event).map(|part| trace.node(part));
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
            thread: event.thread.into(),
            index: event.index.into(),
            place: record.place(),
            function: record.function().to_owned(),
            operation: recorded.note.operation,
            target: target_of(&recorded.note, recorded.address),
            address: recorded.address as u64,
            width: recorded.width.into(),
            read: parts().find(|part| !part.writes()).map(|part| shown(part.value)),
            written: write.map(|part| shown(part.value)),
            read_pointee: String::new(),
            written_pointee: String::new(),
            source,
            rank: write.map_or(0, |part| part.rank.into()),
            overtakes: earlier(execution, event, |one| !execution.keeps(one, event)),
            passes_writes: earlier(execution, event, |one| execution.passes_write(one, event)),
        });
    }
    let named = events.iter_mut().zip(sites).map(|(event, site)| Named {
        name: &mut event.target,
        address: event.address,
        width: event.width.into(),
        site,
        pointees: [(event.read, &mut event.read_pointee), (event.written, &mut event.written_pointee)],
    });
    with(|runtime| tell_apart(named.collect(), &runtime.memory.globals));
    events
}

/// Returns the accesses before one in its thread that are meant, by their numbers there.
fn earlier<const W: usize>(
    execution: &CompleteTrace<'_, W>,
    event: EventId,
    is_meant: impl Fn(EventId) -> bool,
) -> Vec<u32> {
    let earlier = (0..event.index).map(|index| EventId { index, ..event });
    let committed = earlier.filter(|&earlier| execution.trace.is_committed(earlier));
    committed.filter(|&earlier| is_meant(earlier)).map(|earlier| earlier.index.into()).collect()
}

/// Returns the rank of an execution among others by its bytes: one with fewer accesses is less, and of two with as many the one whose
/// commits are, one after the other. It depends on nothing but the execution.
pub(crate) fn rank<const W: usize>(execution: &CompleteTrace<'_, W>) -> Packed {
    let nodes = execution.trace.nodes();
    let mut bytes = Vec::with_capacity(4 + 6 * nodes.len());
    bytes.extend(u32::try_from(nodes.len()).unwrap_or(u32::MAX).to_be_bytes());
    for node in nodes {
        for number in [node.event.thread, node.event.index, node.rank] {
            bytes.extend(number.to_be_bytes());
        }
    }
    Packed(bytes)
}

/// Returns the execution as a schedule.
pub(crate) fn schedule<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Schedule, Broken> {
    let notes = notes(execution)?;
    let (threads, model, code) = with(|runtime| {
        let graph = runtime.graph_mut();
        (graph.paths.clone(), graph.model, graph.code)
    })
    .expect("there is a runtime");
    let graph = protocol::Graph { model, code, events: describe(execution, &notes), end: None };
    Ok(Schedule { threads, graph: Some(graph), ..Schedule::default() })
}

/// Begins the run of a thread from its beginning.
pub(crate) fn begin_run(runtime: &mut Runtime, thread: Thread, origin: u32, reads: &[Option<Value>], limit: usize) {
    runtime.graph_mut().begin(thread, origin, reads, limit);
    runtime.memory.heap.restart(thread);
    runtime.memory.locals.restart(thread);
    runtime.threads.restart(thread);
    runtime.process.keys.restart(thread);
    runtime.restart_process();
    runtime.run_for_graph(thread);
}

/// Ends the run of a thread, and returns how far it came.
fn end_run(runtime: &mut Runtime, fault: Option<(Fault, u64)>) -> Result<Reached, Broken> {
    let end = match fault {
        Some((Fault::Silent, _)) if ticks::interrupted() => return Err(Broken::Budget),
        Some((Fault::Silent, program_counter)) => {
            return Err(Broken::Silent(ends::silence(runtime, program_counter)));
        }
        Some((fault, program_counter)) => Some(End::Failed(ends::failure_of(runtime, fault, program_counter))),
        None => runtime.conclusion.end.take(),
    };
    match end {
        None => {}
        Some(End::Failed(failure)) => return Ok(Reached::Fails(number_of_failure(runtime.graph_mut(), failure))),
        Some(End::StackOverflow) => {
            let failure = ends::stack_overflow(runtime);
            return Ok(Reached::Fails(number_of_failure(runtime.graph_mut(), failure)));
        }
        Some(End::Assumed) => return Ok(Reached::Assumes),
        Some(End::Unsupported { what, place }) => return Err(Broken::Unsupported { what, place }),
        Some(End::MaxEvents | End::IdleRounds | End::Nobody(_)) => {
            unreachable!("threads are run alone, and counted elsewhere")
        }
    }
    match runtime.graph_mut().run.stop.take().expect("a run stops for a reason") {
        Stop::Reached(reached) => Ok(reached),
        Stop::TooManyEvents => Err(Broken::TooManyEvents),
        Stop::Cut => Err(Broken::Cut),
    }
}

/// Returns the number of a failure.
fn number_of_failure(graph: &mut Graph, failure: Failure) -> u32 {
    let same = |other: &Failure| (&other.message, &other.sites) == (&failure.message, &failure.sites);
    let known = graph.failures.iter().position(|other| other.kind == failure.kind && same(other));
    let index = known.unwrap_or_else(|| {
        graph.failures.push(failure);
        graph.failures.len() - 1
    });
    u32::try_from(index).expect("fewer than 2^32 failures")
}
