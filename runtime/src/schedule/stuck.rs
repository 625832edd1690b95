//! The report of an execution in which no thread can go on: which thread waits for what and where, and which one has
//! held it since where. The causes are found by the engine ([`engine::progress`]).

use engine::event::{Kind, Object, Thread};
use engine::execution::{Ending, Pending, Status, blocked};
use engine::progress::{Blocked, Cause, Waits, causes};
use engine::sync::machine::Wish;
use protocol::{FailureKind, LeftWaiting, Operation, Role, SiteUse};

use crate::process::sites::{Record, RecordPointer};
use crate::run::Runtime;
use crate::schedule::{waits, wakes};
use crate::state::failure::{Failure, name, site_use};
use crate::state::objects::Class;

/// The most places at which an iteration of a wait loop reads that are named.
const MOST_READS: usize = 6;

/// Joins names as `a`, `a and b`, or `a, b and c`.
fn join(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// Returns ` at file:line`; empty if the place is not known.
fn at(site: RecordPointer) -> String {
    let place = Record::behind(site).place();
    if place.line == 0 { String::new() } else { format!(" at {}:{}", place.file, place.line) }
}

/// Whether an event is an operation on this object alone, which is ordered with all others.
fn is_about(kind: Kind, object: Object) -> bool {
    kind == Kind::Lock(object) || kind == Kind::Await(object)
}

/// Returns the kind of the failure, and the first cause in words.
pub(crate) fn headline(causes: &[Cause]) -> (FailureKind, String) {
    match causes.first() {
        Some(Cause::Cycle(threads)) => (FailureKind::Deadlock, cycle(threads)),
        Some(&Cause::NeverReleased(thread)) => {
            (FailureKind::Deadlock, format!("{} waits for a lock that is never released", name(thread)))
        }
        Some(&Cause::NeverWoken(thread)) => {
            (FailureKind::LostWakeup, format!("{} sleeps, and nobody is left to wake it", name(thread)))
        }
        Some(&Cause::NeverJoined(thread)) => {
            (FailureKind::Deadlock, format!("{} waits at a barrier, and nobody is left to arrive there", name(thread)))
        }
        Some(&Cause::Loop(thread)) => {
            (FailureKind::Livelock, format!("{} waits in a loop that nobody is left to end", name(thread)))
        }
        None => unreachable!("where threads wait, there is a last one for whom nobody waits, or a cycle"),
    }
}

/// Describes a cycle of threads that wait for each other.
fn cycle(threads: &[Thread]) -> String {
    let names: Vec<String> = threads.iter().map(|&thread| name(thread)).collect();
    match names.as_slice() {
        [one] => format!("{one} waits for itself"),
        [_, _] => format!("{} wait for each other", join(&names)),
        _ => format!("{} wait for each other in a circle", join(&names)),
    }
}

/// Returns the threads that cannot go on as a failure; `None` if the execution is complete.
pub(crate) fn stuck(runtime: &Runtime, ending: Ending) -> Option<Failure> {
    if matches!(ending, Ending::Complete | Ending::Diverged) {
        return None;
    }
    let blocked = blocked(&runtime.execution.state);
    let causes = causes(&blocked);
    let (kind, headline) = headline(&causes);
    // The threads that are the cause come first.
    let first: &[Thread] = match &causes[0] {
        Cause::Cycle(threads) => threads,
        Cause::NeverReleased(thread) | Cause::NeverWoken(thread) | Cause::NeverJoined(thread) | Cause::Loop(thread) => {
            std::slice::from_ref(thread)
        }
    };
    let mut ordered: Vec<&Blocked> = blocked.iter().collect();
    ordered.sort_by_key(|one| first.iter().position(|&thread| thread == one.thread).unwrap_or(first.len()));
    let mut sites: Vec<SiteUse> = Vec::new();
    let parts: Vec<String> = ordered.into_iter().map(|one| describe(runtime, one, &mut sites)).collect();
    Some(Failure::new(kind, format!("{headline}: {}", parts.join("; ")), sites))
}

/// Notes the threads that still wait when the process has ended. A thread that has exited waits for itself, and is left
/// out.
pub(crate) fn note_left_waiting(runtime: &mut Runtime) {
    if runtime.execution.state.threads.alive() == 0 {
        return;
    }
    for blocked in blocked(&runtime.execution.state) {
        if blocked.waits == Waits::End(blocked.thread) {
            continue;
        }
        let mut sites: Vec<SiteUse> = Vec::new();
        let message = describe(runtime, &blocked, &mut sites);
        let place = sites.first().map(|site| site.place.clone()).unwrap_or_default();
        runtime.remarks.left_waiting.insert(LeftWaiting { thread: blocked.thread.0.into(), place, message });
    }
}

/// Describes what a thread waits for, and adds the places to the sites.
fn describe(runtime: &Runtime, blocked: &Blocked, sites: &mut Vec<SiteUse>) -> String {
    let thread = blocked.thread;
    let who = name(thread);
    let stands = stands_at(runtime, blocked);
    let mut site = |operation: Operation, expression: &str| {
        let known = site_use(Role::Waits, thread, stands, operation);
        sites.push(SiteUse { expression: expression.to_owned(), ..known });
    };
    match blocked.waits {
        Waits::End(other) => {
            site(Operation::Join(other), "");
            format!("{who} waits{} for the end of {}", at(stands), name(other))
        }
        Waits::Wake(object) => {
            let what = object_name(runtime, object, stands);
            let operation = if runtime.objects.class(object) == Class::Semaphore {
                Operation::SemaphoreWait
            } else {
                Operation::Wait
            };
            site(operation, &what);
            format!("{who} sleeps{} on {what}", at(stands))
        }
        Waits::Arrival(object) => {
            let what = object_name(runtime, object, stands);
            site(Operation::BarrierLeave, &what);
            format!("{who} waits{} for others at {what}", at(stands))
        }
        Waits::Release(object) => {
            let what = object_name(runtime, object, stands);
            site(operation_before(runtime, thread), &what);
            let hold = |&by: &Thread| hold(runtime, (by, object, &what), thread, sites);
            let held: Vec<String> = blocked.by.iter().map(hold).collect();
            format!("{who} waits{} for {what}{}", at(stands), held.concat())
        }
        Waits::Change => describe_loop(runtime, thread, sites),
    }
}

/// Returns the operation that the thread, which waits for others to release an object, stands before.
fn operation_before(runtime: &Runtime, thread: Thread) -> Operation {
    match runtime.execution.state.threads.status(thread) {
        Status::Arrived(Pending::Wait(wish, _)) | Status::Waiting(Pending::Wait(wish, _)) => match wish {
            Wish::Read(_) => Operation::ReadLock,
            Wish::Write(_) => Operation::WriteLock,
            Wish::Once(_) => Operation::OnceEnter,
            Wish::Wake { .. } => Operation::WakeUp,
            _ => Operation::Lock,
        },
        _ => Operation::Lock,
    }
}

/// Returns the place where the thread stands; in a wait loop, the place where it would lock next.
fn stands_at(runtime: &Runtime, blocked: &Blocked) -> RecordPointer {
    let stood = runtime.threads.stands_at(blocked.thread);
    let (Status::Waiting(_), Waits::Release(object)) =
        (runtime.execution.state.threads.status(blocked.thread), blocked.waits)
    else {
        return stood;
    };
    let events = runtime.execution.history.steps().iter().zip(runtime.recorder.trail.notes()).rev();
    let mut own = events.filter(|(step, _)| step.thread == blocked.thread && is_about(step.kind, object));
    own.find(|(_, note)| note.operation == Operation::Lock).map_or(stood, |(_, note)| note.site)
}

/// Describes which thread has held the object since where, and adds that place to the sites.
fn hold(runtime: &Runtime, held: (Thread, Object, &str), waits: Thread, sites: &mut Vec<SiteUse>) -> String {
    let (holder, object, what) = held;
    let who = if holder == waits { "it itself".to_owned() } else { name(holder) };
    let ended = if runtime.execution.state.threads.status(holder) == Status::Ended { " and has ended" } else { "" };
    let Some(note) = waits::acquired(runtime, holder, object).and_then(|event| runtime.recorder.trail.note(event))
    else {
        return format!(", which {who} holds{ended}");
    };
    let known = site_use(Role::Holds, holder, note.site, note.operation);
    sites.push(SiteUse { expression: what.to_owned(), ..known });
    format!(", which {who} holds since{}{ended}", at(note.site).trim_start_matches(" at"))
}

/// Describes what a wait loop reads, and adds the places to the sites.
fn describe_loop(runtime: &Runtime, thread: Thread, sites: &mut Vec<SiteUse>) -> String {
    let who = name(thread);
    let around = runtime.threads.of(thread).visits.active().last().map_or(std::ptr::null(), |(site, _)| site);
    let mut reads: Vec<SiteUse> = Vec::new();
    for note in wakes::waits_for(runtime, thread).filter_map(|event| runtime.recorder.trail.note(event)) {
        let read = site_use(Role::Waits, thread, note.site, note.operation);
        let known =
            reads.iter().any(|other| other.place == read.place && other.operation.name() == read.operation.name());
        if note.operation != Operation::Store && !known && reads.len() < MOST_READS {
            reads.push(read);
        }
    }
    if reads.is_empty() {
        let stands = runtime.threads.stands_at(thread);
        sites.push(site_use(Role::Waits, thread, stands, Operation::Loop));
        return format!("{who} goes round the loop{}", at(around));
    }
    let names = |tried: bool| {
        let mut names: Vec<String> = reads
            .iter()
            .filter(|read| matches!(read.operation, Operation::TryLock | Operation::TryLockFailed) == tried)
            .map(|read| if read.expression.is_empty() { "what it reads".to_owned() } else { read.expression.clone() })
            .collect();
        names.sort();
        names.dedup();
        names.join(" or ")
    };
    let parts = [(names(false), "is different"), (names(true), "is free")];
    let until: Vec<String> =
        parts.iter().filter(|(names, _)| !names.is_empty()).map(|(names, is)| format!("{names} {is}")).collect();
    sites.extend(reads);
    format!("{who} goes round the loop{} until {}", at(around), until.join(" or "))
}

/// Returns the name of an object, as the place where it is used has it, else its address. The place of a wait names the
/// condition variable; the mutex gets the name of its last use elsewhere.
fn object_name(runtime: &Runtime, object: Object, site: RecordPointer) -> String {
    let address = runtime.objects.address(object);
    let used = || runtime.execution.history.steps().iter().zip(runtime.recorder.trail.notes());
    let of_wait = used()
        .any(|(step, note)| matches!(step.kind, Kind::Wait { mutex, .. } if mutex == object) && note.site == site);
    let elsewhere = used().rev().find(|(step, _)| is_about(step.kind, object));
    let site = if of_wait { elsewhere.map_or(std::ptr::null(), |(_, note)| note.site) } else { site };
    if let Some(name) = runtime.memory.globals.named(address as u64, 1) {
        return name;
    }
    let expression = Record::behind(site).expression();
    if expression.is_empty() {
        let variable = runtime.memory.globals.variable(address).filter(|variable| variable.bytes.start == address);
        return variable.map_or_else(|| format!("{address:#x}"), |variable| variable.name.clone());
    }
    // If there are several by this name, such as the elements of an array, they are named as in a trace.
    let class = runtime.objects.class(object);
    let named = used().filter(|(_, note)| Record::behind(note.site).expression() == expression);
    let others = named.filter_map(|(step, _)| match step.kind {
        Kind::Lock(other) | Kind::Share(other) | Kind::Await(other) | Kind::Wait { condition: other, .. } => {
            Some(other)
        }
        _ => None,
    });
    let addresses =
        others.filter(|&other| runtime.objects.class(other) == class).map(|other| runtime.objects.address(other));
    match address - addresses.min().unwrap_or(address).min(address) {
        0 => expression.to_owned(),
        offset => format!("{expression}+{offset}"),
    }
}
