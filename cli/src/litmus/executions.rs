//! The executions of litmus tests as findings keep them: schedules, or execution graphs.

use std::collections::BTreeMap;

use engine::event::Kind;
use engine::graph::EventId;
use litmus::condition::{Quantifier, State};
use litmus::graphs::{Finished, Outcome, Performed};
use litmus::outcomes::show;
use litmus::schedules::Happened;
use litmus::{Instruction, Operation as Instructed, TextPosition, Value};
use protocol::{
    Code, FailureKind, Graph, GraphEvent, MemoryModel, Operation, Place, Role, Schedule, Segment, SiteUse, TraceEvent,
    Violation,
};

use super::target::TestFile;

/// The width in bytes of all accesses: that of the engine's values.
const WIDTH: u32 = 8;

/// Returns a place in the test's file.
pub(super) fn place(target: &TestFile, position: TextPosition) -> Place {
    Place::new(target.file.clone(), position.line, position.column)
}

/// Returns the operation that an event is.
pub(super) const fn operation(instruction: &Instruction, kind: Kind) -> Operation {
    match kind {
        Kind::Load => Operation::Load,
        Kind::Store => Operation::Store,
        Kind::Fence => Operation::Fence,
        _ => match instruction.operation {
            Instructed::Update { expected: Some(_), .. } => Operation::CompareExchange,
            _ => Operation::Exchange,
        },
    }
}

/// Returns the creation paths of a test's threads. All are there from the beginning: the first one counts as their creator.
fn paths(target: &TestFile) -> Vec<Vec<u32>> {
    let others = 0..u32::try_from(target.test.threads.len().saturating_sub(1)).unwrap_or(u32::MAX);
    std::iter::once(Vec::new()).chain(others.map(|nth| vec![nth])).collect()
}

/// Returns an interleaving as a schedule.
pub(super) fn schedule(target: &TestFile, events: &[Happened]) -> Schedule {
    let mut seen: BTreeMap<u32, u64> = BTreeMap::new();
    let mut segments: Vec<Segment> = Vec::new();
    for happened in events {
        let Some((thread, instruction)) = target.test.at_site(happened.event.site) else { continue };
        let nth = seen.entry(happened.event.site.0).or_default();
        *nth += 1;
        let thread = u32::try_from(thread).unwrap_or(u32::MAX);
        let last = place(target, instruction.position);
        match segments.last_mut().filter(|segment| segment.thread == thread) {
            Some(segment) => {
                segment.events += 1;
                (segment.last, segment.nth) = (last, *nth);
            }
            None => segments.push(Segment { thread, events: 1, last, nth: *nth }),
        }
    }
    Schedule { threads: paths(target), segments, ..Schedule::default() }
}

/// Returns an execution of a memory model as a schedule.
pub(super) fn graph(target: &TestFile, model: MemoryModel, finished: &Finished<'_>) -> Schedule {
    let accesses = finished.accesses();
    let events = accesses.iter().map(|performed| graph_event(target, performed)).collect();
    Schedule {
        threads: paths(target),
        graph: Some(Graph { model, code: Code::default(), events, end: None }),
        ..Schedule::default()
    }
}

fn graph_event(target: &TestFile, performed: &Performed) -> GraphEvent {
    let EventId { thread, index } = performed.event;
    let instruction = &target.test.threads[usize::from(thread)].instructions[performed.instruction];
    let kind = match (performed.read, performed.written) {
        (Some(_), None) if matches!(instruction.operation, Instructed::Load { .. }) => Kind::Load,
        (None, _) => Kind::Store,
        _ => Kind::Rmw,
    };
    let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    GraphEvent {
        thread: thread.into(),
        index: index.into(),
        place: place(target, instruction.position),
        function: String::new(),
        operation: operation(instruction, kind),
        target: target.test.locations[performed.location.index()].clone(),
        address: address(performed.location),
        width: WIDTH,
        read: performed.read.map(Value::cast_unsigned),
        written: performed.written.map(Value::cast_unsigned),
        read_pointee: String::new(),
        written_pointee: String::new(),
        location: performed.location.0,
        source: performed.source.map(|source| source as u64),
        rank: number(performed.rank),
        overtakes: performed.overtakes.iter().map(|&earlier| earlier.into()).collect(),
        passes_writes: performed.passes_writes.iter().map(|&earlier| earlier.into()).collect(),
    }
}

fn address(location: engine::event::Location) -> u64 {
    litmus::address(location).cast_unsigned()
}

/// Returns an event of an execution graph as one of a trace.
pub(super) fn of_graph(event: &GraphEvent) -> TraceEvent {
    TraceEvent {
        thread: event.thread,
        place: event.place.clone(),
        function: String::new(),
        operation: event.operation,
        target: event.target.clone(),
        address: event.address,
        width: event.width,
        read: event.read,
        written: event.written,
        read_pointee: String::new(),
        written_pointee: String::new(),
        read_above: Vec::new(),
        written_above: Vec::new(),
        pending: Vec::new(),
    }
}

/// Returns an event of an interleaving as one of a trace, with what waits in the monitors' store buffers after it.
pub(super) fn of_schedule(target: &TestFile, happened: &Happened, pending: Vec<Vec<u64>>) -> Option<TraceEvent> {
    let (thread, instruction) = target.test.at_site(happened.event.site)?;
    let name = happened.location.map(|location| target.test.locations[location.index()].clone());
    Some(TraceEvent {
        thread: u32::try_from(thread).ok()?,
        place: place(target, instruction.position),
        function: String::new(),
        operation: operation(instruction, happened.event.kind),
        target: name.unwrap_or_default(),
        address: happened.location.map_or(0, address),
        width: happened.location.map_or(0, |_| WIDTH),
        read: happened.read.map(Value::cast_unsigned),
        written: happened.written.map(Value::cast_unsigned),
        read_pointee: String::new(),
        written_pointee: String::new(),
        read_above: Vec::new(),
        written_above: Vec::new(),
        pending,
    })
}

/// Returns the violation that lies in how an execution ends, if there is one; its schedule is still to be added.
pub(super) fn failure(target: &TestFile, outcome: &Outcome) -> Option<Violation> {
    match outcome {
        Outcome::Final(state) => condition(target, state),
        Outcome::Endless { thread, instruction } => Some(endless(target, *thread, *instruction)),
    }
}

/// Returns the violation that a condition which has to hold does not hold in this final state. `exists` is a question, which no
/// state violates.
fn condition(target: &TestFile, state: &State) -> Option<Violation> {
    let condition = &target.test.condition;
    let holds = condition.proposition.holds(state);
    let fails = match condition.quantifier {
        Quantifier::Exists => false,
        Quantifier::NotExists => holds,
        Quantifier::Forall => !holds,
    };
    fails.then(|| {
        told(target, format!("{} does not hold: an execution ends with {}", condition.text, show(&target.test, state)))
    })
}

/// Returns the finding that what `exists` asks for exists, shown by an execution that ends so.
pub(super) fn witness(target: &TestFile, outcome: &Outcome) -> Option<Violation> {
    let condition = &target.test.condition;
    let Outcome::Final(state) = outcome else { return None };
    let asked = condition.quantifier == Quantifier::Exists && condition.proposition.holds(state);
    let message = || format!("{}: an execution ends with {}", condition.text, show(&target.test, state));
    asked.then(|| Violation { kind: FailureKind::Witness, ..told(target, message()) })
}

fn told(target: &TestFile, message: String) -> Violation {
    let condition = &target.test.condition;
    Violation {
        kind: FailureKind::Assertion,
        monitor: None,
        message,
        subject: String::new(),
        sites: vec![SiteUse {
            role: Role::At,
            thread: 0,
            place: place(target, condition.position),
            function: String::new(),
            operation: Operation::Condition,
            expression: condition.text.clone(),
        }],
        events: None,
        program_counter: None,
        schedule: Schedule::default(),
    }
}

/// Returns the violation that two accesses race, if the model knows races and they do; its schedule is still to be added.
pub(super) fn race(target: &TestFile, finished: &Finished<'_>) -> Option<Violation> {
    let site = |role, (thread, instruction): (usize, usize)| {
        let instruction = &target.test.threads[thread].instructions[instruction];
        let kind = match instruction.operation {
            Instructed::Load { .. } => Kind::Load,
            Instructed::Store { .. } => Kind::Store,
            _ => Kind::Rmw,
        };
        SiteUse {
            role,
            thread: u32::try_from(thread).unwrap_or(u32::MAX),
            place: place(target, instruction.position),
            function: format!("P{thread}"),
            operation: operation(instruction, kind),
            expression: instruction.text.clone(),
        }
    };
    let [first, second] = finished.race?;
    Some(Violation {
        kind: FailureKind::Race,
        monitor: None,
        message: "two accesses are not ordered, one writes, and not both are atomic: undefined behaviour".to_string(),
        subject: String::new(),
        sites: vec![site(Role::First, first), site(Role::Second, second)],
        events: None,
        program_counter: None,
        schedule: Schedule::default(),
    })
}

/// Returns the violation that a loop has no end.
fn endless(target: &TestFile, thread: usize, instruction: usize) -> Violation {
    let instruction = &target.test.threads[thread].instructions[instruction];
    Violation {
        kind: FailureKind::Livelock,
        monitor: None,
        message: "a loop without an access to memory has no end".to_string(),
        subject: String::new(),
        sites: vec![SiteUse {
            role: Role::At,
            thread: u32::try_from(thread).unwrap_or(u32::MAX),
            place: place(target, instruction.position),
            function: format!("P{thread}"),
            operation: Operation::Loop,
            expression: instruction.text.clone(),
        }],
        events: None,
        program_counter: None,
        schedule: Schedule::default(),
    }
}
