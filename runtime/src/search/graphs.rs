//! The search for execution graphs of the program: what its threads do, which graphs count, which failures they show.
//!
//! A thread that waits, in a loop or for a mutex, has read something that it waits to change. If that is the last write
//! there, in coherence order, the thread waits for ever; else the graph is no execution, but another one is, in which
//! the thread reads a later write at once. So a graph counts if all threads that wait have read last writes.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Instant;

use engine::atomicity;
use engine::event::{Object, Thread};
use engine::explore::Counts as Counting;
use engine::explore::rsmc::units::Left;
use engine::explore::rsmc::{self, CompleteTrace, Continue, Counts, Course, Ended, Memory, census};
use engine::graph::{EventId, Label, Reached};
use engine::model::armv8::Armv8;
use engine::model::c11::C11;
use engine::model::power::Power;
use engine::model::pso::Pso;
use engine::model::riscv::Riscv;
use engine::model::sc::Sc;
use engine::model::tso::Tso;
use engine::model::{MemoryModel, Model};
use engine::progress::{Blocked, Waits, causes};
use protocol::{
    Code, Example, Explore, FailureKind, GraphEvent, Grounds, Manner, Operation, Place, Role, Schedule, SiteUse,
    StoppedBy, Telling, Trace, TraceEvent,
};

use crate::graph::stops::option_of;
use crate::process::debugger;
use crate::process::sections;
use crate::process::sites::Record;
use crate::run::{Runtime, with};
use crate::schedule::stuck::headline;
use crate::search::ends::Stopped;
use crate::search::graphs::runs::{Broken, Budget, Native, Notes, describe, notes, rank, run_each, schedule};
use crate::search::graphs::transactions::{Judgement, Told};
use crate::state::failure::{Failure, name, site_use};
use crate::state::graph::Graph;
use crate::state::observed::{self, Observed};
use crate::state::operation::{Note, target_of};
use crate::world::World;

pub(crate) mod cycles;
mod facts;
pub(crate) mod lifetimes;
pub(crate) mod obstacles;
pub(crate) mod outcome;
pub(crate) mod races;
pub(crate) mod runs;
pub(crate) mod transactions;
pub(crate) mod weakness;

/// The part of a search that a slice is.
pub(crate) struct Part<'s> {
    /// The units, as the engine has them; that of the whole search is empty.
    pub(crate) units: Vec<Vec<u8>>,
    pub(crate) manner: Manner,
    /// The seconds that the slice may take.
    pub(crate) seconds: Option<f64>,
    /// The executions that the slice may count.
    pub(crate) executions: Option<u64>,
    /// What the first slice of the search has learned of the program.
    pub(crate) facts: &'s [u64],
    /// What the harvest leaves out.
    pub(crate) telling: Telling,
}

impl Part<'_> {
    /// Whether the part is the whole search.
    fn is_whole(&self) -> bool {
        self.units.iter().any(Vec::is_empty)
    }
}

/// What a slice hands out.
pub(crate) struct Handed {
    pub(crate) left: Left,
    /// What the slice has learned of the program, if it is the first one.
    pub(crate) facts: Vec<u64>,
}

/// What a process keeps from slice to slice.
#[derive(Default)]
pub(crate) struct Kept {
    /// The number of the size of sets that there was room enough in.
    size: usize,
    /// The program for sets of that size, with the runs of threads that are known.
    native: Option<Box<dyn Any>>,
    /// The continuations that the tool has been told of.
    memory: Memory,
    has_begun: bool,
}

/// The end of the time of a slice.
struct Pausing<'s> {
    manner: Manner,
    budget: RefCell<Budget>,
    /// What the process had learned when the slice paused, if it has paused.
    at: RefCell<Option<Vec<u64>>>,
    part: &'s Part<'s>,
}

impl<'s> Pausing<'s> {
    /// Makes the end of a slice that begins now.
    fn new(part: &'s Part<'s>) -> Self {
        let budget = RefCell::new(Budget::since(Instant::now(), part.seconds));
        Self { manner: part.manner, budget, at: RefCell::new(None), part }
    }

    /// Whether the slice is to pause now.
    fn asks(&self) -> bool {
        let pauses = self.manner == Manner::HandsOut && self.budget.borrow_mut().is_used_up();
        if pauses {
            self.pause();
        }
        pauses
    }

    /// Notes that the slice pauses.
    fn pause(&self) {
        self.at.borrow_mut().get_or_insert_with(|| with(facts::learned).unwrap_or_default());
    }

    /// Whether what the slice came to depends on the order in which it came to it: it is not the beginning of the search.
    fn is_ordered(&self) -> bool {
        self.manner == Manner::HandsOut && (!self.part.is_whole() || self.at.borrow().is_some())
    }
}

/// Whether a graph is an execution.
enum Worth {
    /// The graph is an execution: these threads wait for ever, and these failures show in it.
    Execution { waiting: Vec<usize>, failures: Vec<u32> },
    /// The graph is none: a thread waits for what has changed, or an assumption does not hold.
    Nothing,
}

/// Whether what a thread has read since this access is still there: of memory the last writes, and of other objects
/// those states that it has only read.
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

/// Returns whether a graph is an execution.
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

/// Returns how many of the accesses are events; the beginnings and ends of threads are none.
pub(crate) fn events<const W: usize>(execution: &CompleteTrace<'_, W>) -> u64 {
    let ends = |thread: usize| {
        let ended = execution.reached[thread] == Reached::End && thread > 0;
        usize::from(thread > 0) + usize::from(ended)
    };
    let lengths = execution.labels.iter().enumerate().filter(|(_, labels)| !labels.is_empty());
    lengths.map(|(thread, labels)| (labels.len() - ends(thread).min(labels.len())) as u64).sum()
}

/// Returns what the threads of an execution did, access by access, with what stands between them.
fn tell<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<Vec<Told>, Broken> {
    let mut told = Vec::new();
    run_each(execution, |Graph { run, .. }| {
        told.push(Told { accesses: run.recorded.clone(), asides: run.asides.clone() });
    })?;
    Ok(told)
}

/// Looks for transactions of the execution that are not serializable, if a monitor watches them.
fn watch_transactions<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(), Broken> {
    if with(|runtime| runtime.recorder.watches_transactions()) != Some(true) {
        return Ok(());
    }
    let Judgement { violations, events } = transactions::judge(execution, &tell(execution)?);
    for violation in violations {
        let edges = with(|runtime| edges_in_graph(runtime, &violation, &events)).expect("there is a runtime");
        let is_new = with(|runtime| runtime.recorder.is_new_cycle(&edges)) == Some(true);
        let schedule = if is_new { schedule(execution)? } else { Schedule::default() };
        with(|runtime| runtime.recorder.cycle_in_graph(&violation, edges, &events, schedule));
    }
    Ok(())
}

/// Returns the index of the access since which a thread waits for ever.
fn waits_since<const W: usize>(execution: &CompleteTrace<'_, W>, thread: usize, notes: &Notes) -> usize {
    match execution.reached[thread] {
        Reached::Waits { since } => since.into(),
        _ => notes[thread].len() - 1,
    }
}

/// Returns what a thread waits for that waits for ever, and which threads could end that.
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

/// Describes a thread that goes round a loop for ever in which it does nothing.
fn endless(thread: Thread) -> (SiteUse, String) {
    let record = with(|runtime| runtime.threads.stands_at(thread)).unwrap_or(std::ptr::null());
    let site = site_use(Role::Waits, thread, record, Operation::Loop);
    let part = format!("{} goes round the loop at {}:{}", name(thread), site.place.file, site.place.line);
    (site, part)
}

/// Returns the name of what a thread waits for: as its place has it, else as the variable is called that is there.
fn awaited(note: &Note, address: usize) -> String {
    let of_variable = |runtime: &mut Runtime| {
        let globals = &runtime.memory.globals;
        let whole = || globals.variable(address).filter(|variable| variable.bytes.start == address);
        globals.named(address as u64, 1).or_else(|| whole().map(|variable| variable.name.clone()))
    };
    let has_name = !Record::behind(note.site).expression().is_empty();
    let name = if has_name { None } else { with(of_variable).flatten() };
    name.unwrap_or_else(|| target_of(note, address))
}

/// Returns the failure of an execution in which these threads wait for ever.
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
            _ => awaited(&first.note, first.address),
        };
        let place = Record::behind(first.note.site).place();
        parts.push(format!("{who} waits at {}:{} for {what}", place.file, place.line));
        sites.extend(reads);
    }
    let blocked: Vec<Blocked> = waiting.iter().map(|&thread| blocked(execution, thread, notes)).collect();
    let (kind, headline) = headline(&causes(&blocked));
    Failure::new(kind, format!("{headline}: {}", parts.join("; ")), sites)
}

/// Counts a complete graph, and takes its failures into the findings.
pub(crate) fn take<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(), Broken> {
    let mut ended = lifetimes::failures(execution)?;
    let Worth::Execution { waiting, failures } = worth(execution) else {
        with(|runtime| runtime.recorder.tallied.counts.blocked += 1);
        if execution.reached.contains(&Reached::Assumes) {
            return Ok(());
        }
        // The thread goes on from here in an execution that goes round once more.
        ended.extend(races::failures(execution)?);
        if !ended.is_empty() {
            obstacles::watch(execution, &ended, None)?;
        }
        return fail(execution, ended, Counting::AsAnother);
    };
    with(|runtime| runtime.recorder.tallied.count_graph(events(execution)));
    note_updates(execution)?;
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
    found.extend(races::failures(execution)?);
    let mut end = None;
    if found.is_empty() {
        take_outcome(execution)?;
        end = outcome::take(execution)?;
    }
    obstacles::watch(execution, &found, end.as_deref())?;
    cycles::watch(execution, &found)?;
    fail(execution, found, Counting::Once)
}

/// Says so if executions may be missed since read-modify-writes take effect at once.
fn note_updates<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(), Broken> {
    const AS_ONE: &str = "executions in which a read-modify-write reads before what its write waits for are missed";
    let Some(event) = execution.update_that_waits_as_one() else { return Ok(()) };
    let rank = rank(execution);
    let is_less = |runtime: &mut Runtime| {
        runtime.recorder.tallied.counts.examples.get(AS_ONE).is_none_or(|example| rank < example.rank)
    };
    if with(is_less) == Some(true) {
        let notes = notes(execution)?;
        let note = notes[usize::from(event.thread)][usize::from(event.index)].note;
        let Place { file, line, .. } = Record::behind(note.site).place();
        let example = Example { rank, words: format!(", such as the {} at {file}:{line}", note.operation) };
        with(|runtime| Example::keep_the_least(&mut runtime.recorder.tallied.counts.examples, AS_ONE, example));
    }
    Ok(())
}

/// Takes the failures of a graph into the findings.
fn fail<const W: usize>(execution: &CompleteTrace<'_, W>, found: Vec<Failure>, counts: Counting) -> Result<(), Broken> {
    if found.is_empty() {
        return Ok(());
    }
    let grounds = weakness::grounds(execution, &found)?;
    let rank = rank(execution);
    for failure in found {
        let is_least = with(|runtime| runtime.recorder.findings.is_least(&failure, &rank)) == Some(true);
        let mut schedule = if is_least { Some(schedule(execution)?) } else { None };
        if let (Some(graph), Some(late)) =
            (schedule.as_mut().and_then(|schedule| schedule.graph.as_mut()), &failure.late)
        {
            graph.end = late.described(&graph.events);
        }
        with(|runtime| {
            let seen = runtime.recorder.seen(counts == Counting::Once);
            runtime.recorder.findings.fail_in_graph(failure, (&rank, schedule), &grounds, seen);
        });
    }
    Ok(())
}

/// Takes what the threads observe in the execution, which does not fail, into the outcomes.
fn take_outcome<const W: usize>(execution: &CompleteTrace<'_, W>) -> Result<(), Broken> {
    let mut observed = Vec::new();
    if with(|runtime| runtime.recorder.tallied.observes()) == Some(true) {
        for thread in (0..execution.labels.len()).filter(|&thread| !execution.labels[thread].is_empty()) {
            Native::<W>::run(thread, execution.origins[thread], &execution.reads[thread])?;
            observed.extend(with(|runtime| observed_in_graph(runtime, thread)));
        }
    }
    let outcome = observed::outcome(observed.iter().map(|(path, observed)| (path.as_slice(), observed)));
    with(|runtime| runtime.recorder.tallied.take_outcome_of_graph(outcome));
    Ok(())
}

/// Checks that the threads do again what they did in this execution.
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

/// Explores the execution graphs of a part of the search, with sets for more and more accesses until there is room for all.
pub(crate) fn search(job: &Explore, part: &Part<'_>, kept: &mut Kept) -> (Stopped, Option<Handed>) {
    if let Some(model) = with(|runtime| runtime.graph_mut().model)
        && model.has_dependencies()
        && !sections::has_labels()
    {
        let option = option_of(model);
        let what = format!("a program of which some file was compiled without `fencehound cc --power`, under {option}");
        return (Stopped::Unsupported { what, place: Place::default() }, None);
    }
    let begun = Instant::now();
    let sizes = [sized::<1>, sized::<4>, sized::<16>];
    let mut begins_anew = part.is_whole() || !kept.has_begun || part.telling == Telling::Everything;
    kept.has_begun = true;
    loop {
        if begins_anew {
            forget(kept);
        }
        begins_anew = true;
        let pausing = Pausing::new(part);
        let broken = match sizes[kept.size](job, &pausing, begun, kept) {
            Ok((Stopped::Complete, left)) if part.manner == Manner::HandsOut => return hand_out(&pausing, left),
            Ok((stopped, _)) if !pausing.is_ordered() => return (stopped, None),
            Ok(_) => return (Stopped::Ordered, None),
            Err(broken) => broken,
        };
        match broken {
            Broken::TooManyEvents if kept.size + 1 < sizes.len() => kept.size += 1,
            Broken::Cut if part.is_whole() => {}
            Broken::Budget if part.manner == Manner::HandsOut => {
                forget(kept);
                let left = Left { units: part.units.clone(), ..Left::default() };
                return (Stopped::Open, Some(Handed { left, facts: Vec::new() }));
            }
            _ if pausing.is_ordered() => return (Stopped::Ordered, None),
            Broken::Cut | Broken::Strayed => return (Stopped::Ordered, None),
            Broken::TooManyEvents => return (Stopped::Limit(StoppedBy::Events), None),
            Broken::Budget => return (Stopped::Open, None),
            Broken::Silent(silence) => return (Stopped::Silent(silence), None),
            Broken::Unsupported { what, place } => return (Stopped::Unsupported { what, place }, None),
            Broken::Nondeterministic(thread) => {
                with(|runtime| fails_to_repeat(runtime, thread));
                return (Stopped::Found, None);
            }
        }
    }
}

/// Forgets what was run, but not where memory is divided: the search, or the slice, begins anew.
fn forget(kept: &mut Kept) {
    (kept.native, kept.memory) = (None, Memory::default());
    with(begin_search);
}

/// Hands out what a slice has left. What it has learned of the program besides what the first slice had when it paused might have
/// been of importance to others: then all is run in sequence.
fn hand_out(pausing: &Pausing<'_>, left: Left) -> (Stopped, Option<Handed>) {
    let part = pausing.part;
    if part.is_whole() && left.units.is_empty() {
        return (Stopped::Complete, None);
    }
    let now = with(facts::learned).unwrap_or_default();
    let at_pause = pausing.at.borrow();
    let known: &[u64] = if part.is_whole() { at_pause.as_deref().unwrap_or(&now) } else { part.facts };
    if now.iter().any(|fact| known.binary_search(fact).is_err()) {
        return (Stopped::Ordered, None);
    }
    let facts = if part.is_whole() { now } else { Vec::new() };
    (Stopped::Complete, Some(Handed { left, facts }))
}

/// Explores the execution graphs of the program's model, with sets of this size.
fn sized<const W: usize>(
    job: &Explore,
    pausing: &Pausing<'_>,
    begun: Instant,
    kept: &mut Kept,
) -> Result<(Stopped, Left), Broken> {
    match with(|runtime| runtime.graph_mut().model).expect("there is a runtime") {
        MemoryModel::Sc => under::<W, Sc<W>>(job, pausing, begun, kept),
        MemoryModel::Tso => under::<W, Tso<W>>(job, pausing, begun, kept),
        MemoryModel::Pso => under::<W, Pso<W>>(job, pausing, begun, kept),
        MemoryModel::Power => under::<W, Power<W>>(job, pausing, begun, kept),
        MemoryModel::Armv8 => under::<W, Armv8<W>>(job, pausing, begun, kept),
        MemoryModel::Riscv => under::<W, Riscv<W>>(job, pausing, begun, kept),
        MemoryModel::C11 => under::<W, C11<W>>(job, pausing, begun, kept),
    }
}

/// Explores the execution graphs of a model, with sets of this size.
fn under<const W: usize, M: Model<W>>(
    job: &Explore,
    pausing: &Pausing<'_>,
    begun: Instant,
    kept: &mut Kept,
) -> Result<(Stopped, Left), Broken> {
    let part = pausing.part;
    let known = kept.native.take().and_then(|native| native.downcast::<Native<W>>().ok());
    let native = known.map_or_else(
        || {
            let budget = (part.manner == Manner::InSequence).then(|| Budget::since(begun, part.seconds));
            Native::<W>::new(budget, job.limits.max_events)
        },
        |native| *native,
    );
    let mut outcome: Result<Option<Stopped>, Broken> = Ok(None);
    let mut first = true;
    let mut visit = |execution: &CompleteTrace<'_, W>| {
        let taken = if std::mem::take(&mut first) { repeats(execution) } else { Ok(()) };
        if let Err(broken) = taken.and_then(|()| take(execution)) {
            outcome = Err(broken);
            return Continue::Stop;
        }
        let (found, executions) = with(|runtime| {
            let found =
                (job.stop_at_first && runtime.recorder.findings.has_found()) || runtime.graph_mut().is_obstructed();
            (found, runtime.recorder.tallied.counts.executions)
        })
        .expect("there is a runtime");
        let is_enough = part.executions.is_some_and(|limit| executions >= limit);
        match part.manner {
            _ if found => outcome = Ok(Some(Stopped::Found)),
            Manner::InSequence if is_enough => outcome = Ok(Some(Stopped::Open)),
            Manner::HandsOut if is_enough => {
                pausing.pause();
                return Continue::Pause;
            }
            Manner::InSequence | Manner::HandsOut => return Continue::Yes,
        }
        Continue::Stop
    };
    let course = Course { visit: &mut visit, pauses: &|| pausing.asks() };
    let (Counts { blocked, .. }, result) =
        rsmc::explore_units::<W, M, _>(&native, &part.units, course, &mut kept.memory);
    with(|runtime| runtime.recorder.tallied.counts.blocked += blocked);
    kept.native = Some(Box::new(native));
    match result {
        Ok(left) => Ok((Stopped::Complete, left)),
        Err(Ended::Stopped) => outcome.map(|stopped| (stopped.unwrap_or(Stopped::Complete), Left::default())),
        Err(Ended::TooManyEvents) => Err(Broken::TooManyEvents),
        Err(Ended::Strayed) => Err(Broken::Strayed),
        Err(Ended::Fault(broken)) => Err(broken),
    }
}

/// Estimates how many executions there are, by drawing some of them for this many seconds.
pub(crate) fn draw(job: &Explore, seconds: Option<f64>) -> Stopped {
    let begun = Instant::now();
    let sizes = [draw_sized::<1>, draw_sized::<4>, draw_sized::<16>];
    let mut size = 0;
    loop {
        with(begin_search);
        match sizes[size](job, Budget::since(begun, seconds)) {
            Broken::TooManyEvents if size + 1 < sizes.len() => size += 1,
            Broken::Cut => {}
            // Whatever else ends this only ends the estimate.
            _ => return Stopped::Open,
        }
    }
}

/// Draws executions of the program's model, with sets of this size, until something ends that.
fn draw_sized<const W: usize>(job: &Explore, budget: Budget) -> Broken {
    match with(|runtime| runtime.graph_mut().model).expect("there is a runtime") {
        MemoryModel::Sc => draw_under::<W, Sc<W>>(job, budget),
        MemoryModel::Tso => draw_under::<W, Tso<W>>(job, budget),
        MemoryModel::Pso => draw_under::<W, Pso<W>>(job, budget),
        MemoryModel::Power => draw_under::<W, Power<W>>(job, budget),
        MemoryModel::Armv8 => draw_under::<W, Armv8<W>>(job, budget),
        MemoryModel::Riscv => draw_under::<W, Riscv<W>>(job, budget),
        MemoryModel::C11 => draw_under::<W, C11<W>>(job, budget),
    }
}

/// Draws executions of a model, with sets of this size, until something ends that.
fn draw_under<const W: usize, M: Model<W>>(job: &Explore, budget: Budget) -> Broken {
    let native = Native::<W>::new(Some(budget), job.limits.max_events);
    let mut worth = |execution: &CompleteTrace<'_, W>| match worth(execution) {
        Worth::Execution { .. } => census::Worth::Counts,
        Worth::Nothing => census::Worth::LeftOut,
    };
    let mut number = 0;
    loop {
        match census::draw::<W, M, _>(&native, number, &mut worth) {
            Ok(drawn) => with(|runtime| runtime.recorder.tallied.counts.drawn.add(drawn)),
            Err(Ended::Fault(broken)) => return broken,
            Err(Ended::TooManyEvents | Ended::Stopped | Ended::Strayed) => return Broken::TooManyEvents,
        };
        number += 1;
    }
}

/// Replays a graph: returns the events and violations, or why the program does not follow it.
pub(crate) fn replay(graph: &protocol::Graph) -> Result<Trace, String> {
    let sizes = [replay_sized::<1>, replay_sized::<4>, replay_sized::<16>];
    let mut size = 0;
    loop {
        with(begin_search);
        with(|runtime| cut_as_in(runtime, graph));
        return match sizes[size](graph) {
            Ok(Ok(())) => {
                let found = with(|runtime| runtime.recorder.findings.take_found()).unwrap_or_default();
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

/// Returns an event of a graph as an event of a trace.
pub(crate) fn event(event: &GraphEvent) -> TraceEvent {
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
        read_pointee: event.read_pointee.clone(),
        written_pointee: event.written_pointee.clone(),
        read_above: Vec::new(),
        written_above: Vec::new(),
        pending: Vec::new(),
    }
}

/// Replays a graph with sets of this size; the number is that of the first event that cannot happen.
fn replay_sized<const W: usize>(graph: &protocol::Graph) -> Result<Result<(), usize>, Broken> {
    match graph.model {
        MemoryModel::Sc => replay_under::<W, Sc<W>>(graph),
        MemoryModel::Tso => replay_under::<W, Tso<W>>(graph),
        MemoryModel::Pso => replay_under::<W, Pso<W>>(graph),
        MemoryModel::Power => replay_under::<W, Power<W>>(graph),
        MemoryModel::Armv8 => replay_under::<W, Armv8<W>>(graph),
        MemoryModel::Riscv => replay_under::<W, Riscv<W>>(graph),
        MemoryModel::C11 => replay_under::<W, C11<W>>(graph),
    }
}

/// Replays a graph of a model with sets of this size; the number is that of the first event that cannot happen.
fn replay_under<const W: usize, M: Model<W>>(graph: &protocol::Graph) -> Result<Result<(), usize>, Broken> {
    let native = Native::<W>::new(Some(Budget::since(Instant::now(), None)), u64::MAX);
    let mut taken = Ok(true);
    let mut visit = |execution: &CompleteTrace<'_, W>| {
        taken = take(execution).and_then(|()| {
            // The threads have been run as far as they had to be known; from here on they run as in this execution.
            debugger::follow();
            Ok(describe(execution, &notes(execution)?) == graph.events)
        });
    };
    let followed = match rsmc::follow::<W, M, _>(&native, &commits(graph), &mut visit) {
        Ok(followed) => followed,
        Err(Ended::Fault(broken)) => return Err(broken),
        Err(Ended::TooManyEvents | Ended::Stopped | Ended::Strayed) => return Err(Broken::TooManyEvents),
    };
    Ok(followed.and(if taken? { Ok(()) } else { Err(graph.events.len()) }))
}

/// Returns the events with the ranks at the time of their commits.
pub(crate) fn commits(graph: &protocol::Graph) -> Vec<(EventId, usize)> {
    let names = graph.events.iter().map(|event| EventId::new(event.thread as usize, event.index as usize));
    names.zip(graph.commits()).collect()
}

/// Returns the places of the edges of a cycle of transactions.
fn edges_in_graph(
    runtime: &mut Runtime,
    cycle: &atomicity::Violation,
    events: &[(Thread, Note)],
) -> BTreeSet<[u32; 2]> {
    let edges = cycle.edges.iter().map(|edge| [edge.from, edge.to]);
    edges.map(|edge| edge.map(|event| runtime.sites.site(events[event as usize].1.site).0)).collect()
}

/// Forgets what a search that has to begin anew has found.
fn begin_search(runtime: &mut Runtime) {
    let graph = runtime.graph_mut();
    graph.places.reset();
    graph.failures.clear();
    runtime.recorder.findings.discard();
    runtime.recorder.tallied.discard();
    runtime.recorder.restart(&[]);
    runtime.recorder.trail.trace();
}

/// Lets memory be accessed in the pieces in which it was accessed when the graph was found.
fn cut_as_in(runtime: &mut Runtime, graph: &protocol::Graph) {
    for event in graph.events.iter().filter(|event| event.width > 0) {
        let address = usize::try_from(event.address).unwrap_or(usize::MAX);
        if let Some(end) = address.checked_add(event.width as usize) {
            runtime.graph_mut().places.cut_around(address..end);
        }
    }
}

/// Returns the creation path of the thread, which ran last, and what it has observed.
fn observed_in_graph(runtime: &mut Runtime, thread: usize) -> (Vec<u32>, Observed) {
    let observed = std::mem::take(&mut runtime.threads.at(Thread::from_index(thread)).observed);
    (runtime.graph_mut().paths[thread].clone(), observed)
}

/// Reports that a thread did not do the same when its reads returned the same.
fn fails_to_repeat(runtime: &mut Runtime, thread: Thread) {
    let sites = vec![site_use(Role::At, thread, runtime.threads.stands_at(thread), Operation::Other)];
    let message = format!("{} did not do the same when its reads returned the same", name(thread));
    let failure = Failure::new(FailureKind::Nondeterministic, message, sites);
    let threads = runtime.graph_mut().paths.clone();
    let schedule = Schedule { threads, ..Schedule::default() };
    runtime.recorder.fail_as(failure, schedule, &Grounds::default(), engine::explore::Counts::Once);
}

/// Lets the program be run for the execution graphs of this model from now on, with at most `unroll` rounds of each
/// loop.
pub(crate) fn run_for_graphs(runtime: &mut Runtime, model: MemoryModel, code: Code, unroll: Option<u64>) {
    runtime.graph = Some(Box::new(Graph { code, ..Graph::new(model, unroll) }));
    World::Alone.enter();
    if model.has_dependencies() {
        runtime.remarks.assumptions.insert("dependencies are those of the source: a compiler may break some".into());
    }
    if model == MemoryModel::C11 {
        runtime.remarks.assumptions.insert(
            "C11 speaks of executions without cycles of program order and reads-from: what is clean under it is right on every machine in \
             these, as compilers map the standard to it, but for read-modify-writes whose result is not used; \
             executions with such cycles are looked for under armv8, riscv and power"
                .into(),
        );
    }
    runtime.recorder.trail.trace();
    runtime.begin();
}
