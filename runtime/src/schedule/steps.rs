//! Commits as steps of their own, where the explorer runs one execution of each class ([`engine::buffers::Steps`]): to
//! the explorer a store is nothing that others see, and its commit is an event of a committer, which is chosen as
//! threads are.
//!
//! An operation that drains a buffer waits, before its turn, for the commits of its thread. A call may drain on one
//! path and not on another, and which path it takes is known too late for that. So it is chosen beforehand whether it
//! waits, and an execution in which it takes another path does not count.

use std::ops::Range;

use engine::event::{Barrier, Kind, Thread};
use engine::execution::{self, Pending};
use engine::explore::{Notice, Values};
use engine::mapping::Barriers;
use engine::mapping::calls::TABLE;
use engine::step::Step;
use protocol::Operation;

use crate::process::fiber::Switch;
use crate::process::sites::Record;
use crate::run::Runtime;
use crate::schedule::commits::{self, Approach};
use crate::schedule::diverging::diverges;
use crate::schedule::events;
use crate::state::buffers::Expected;
use crate::state::failure::Extent;
use crate::state::objects::{Call, Class};
use crate::state::operation::{Detail, Note};
use crate::state::turn::{End, Turn, Way};

/// Whether commits are steps.
pub(crate) fn are_taken(runtime: &Runtime) -> bool {
    runtime.buffers.as_ref().is_some_and(|buffers| buffers.steps.is_some())
}

/// Whether other threads see an event of this kind only as its commit.
pub(crate) fn puts_off(runtime: &Runtime, kind: Kind) -> bool {
    kind == Kind::Store && are_taken(runtime)
}

/// Whether this is a committer, and no thread of the program.
pub(crate) fn is_committer(runtime: &Runtime, thread: Thread) -> bool {
    thread >= Thread::FIRST_COMMITTER && are_taken(runtime)
}

/// Whether the running thread waits for commits.
pub(crate) fn is_held(runtime: &Runtime) -> bool {
    let steps = runtime.buffers.as_ref().and_then(|buffers| buffers.steps.as_ref());
    steps.is_some_and(|steps| steps.is_held(runtime.running))
}

/// Lets the running thread, which stands before an access, wait for the stores that have to commit first.
pub(crate) fn stands_before(runtime: &mut Runtime, approach: Approach, address: usize, width: usize) {
    if let Approach::Update(barrier) = approach {
        if let Some(buffers) = &mut runtime.buffers
            && buffers.steps.is_some()
            && barrier != Barrier::None
        {
            let thread = runtime.running;
            buffers.oblige(|waiting| waiting.separate(thread));
        }
        awaits_bytes(runtime, address..address + width);
    }
}

/// Lets the running thread's next operation wait for the stores that have to commit before one to these bytes.
pub(crate) fn awaits_bytes(runtime: &mut Runtime, bytes: Range<usize>) {
    let thread = runtime.running;
    let Some(buffers) = &mut runtime.buffers else { return };
    let Some(mut steps) = buffers.steps.take() else { return };
    steps.await_for(buffers.waiting(), thread, &bytes);
    buffers.steps = Some(steps);
    waits(runtime, thread);
}

/// Lets the running thread's next operation wait for the commits of all its stores.
pub(crate) fn awaits_all(runtime: &mut Runtime) {
    let thread = runtime.running;
    if let Some(steps) = runtime.buffers.as_mut().and_then(|buffers| buffers.steps.as_mut()) {
        steps.await_all(thread);
        waits(runtime, thread);
    }
}

/// Tells the engine whether the thread waits for commits, or which ones have come before it.
fn waits(runtime: &mut Runtime, thread: Thread) {
    let Some(buffers) = &mut runtime.buffers else { return };
    let Some(mut steps) = buffers.steps.take() else { return };
    let mut commits = Vec::new();
    if steps.is_held(thread) {
        execution::commits::hold(&mut runtime.execution.state, thread);
    } else {
        execution::commits::let_go(&mut runtime.execution.state, thread);
        commits = steps.awaited(buffers.waiting(), thread);
    }
    buffers.steps = Some(steps);
    for event in commits {
        runtime.execution.notify(Notice::After { thread, event });
    }
}

/// Tells the explorer that the running thread, which is about to see that another one has ended, comes after all
/// commits of that one.
pub(crate) fn comes_after_all_of(runtime: &mut Runtime, ended: Thread) {
    let thread = runtime.running;
    let Some(buffers) = &runtime.buffers else { return };
    let Some(steps) = &buffers.steps else { return };
    for event in steps.commits_of(buffers.waiting(), ended) {
        runtime.execution.notify(Notice::After { thread, event });
    }
}

/// The knowledge, before a call, whether it drains its thread's buffer.
enum Drains {
    Always,
    Never,
    /// The call drains on one path and not on another, which depends on what other threads have done.
    Perhaps,
}

/// Returns whether a call drains, before its turn has come.
fn drains(runtime: &mut Runtime, call: Call, pending: Pending) -> Drains {
    let returns_from_once = call.name.contains("once") && pending == Pending::Access;
    if call.name == "the end of the thread" || call.name == "futex" || returns_from_once {
        return Drains::Always;
    }
    let rows = || TABLE.iter().filter(|path| path.calls.split_whitespace().any(|name| name == call.name));
    if rows().all(|path| path.effect.drains()) {
        return if rows().next().is_some() { Drains::Always } else { Drains::Never };
    }
    if !rows().any(|path| path.effect.drains()) {
        return Drains::Never;
    }
    let asks = ["try", "signal", "broadcast", "once", "cancel", "timedjoin", "clockjoin"];
    if asks.iter().any(|part| call.name.contains(part)) {
        return Drains::Perhaps;
    }
    if !call.name.contains("mutex") && !call.name.starts_with("mtx") {
        return Drains::Always;
    }
    // No other thread sees what a thread does to a mutex that it holds.
    let object = runtime.objects.number(Class::Mutex, call.address);
    let Some(mut mutex) = runtime.execution.state.objects.mutex(object).copied() else { return Drains::Always };
    let own = Some(runtime.running);
    let is_released = call.name.contains("unlock") && mutex.unlock(runtime.running).is_ok() && mutex.owner() != own;
    let is_acquired = !call.name.contains("unlock") && mutex.owner() != own;
    if is_released || is_acquired { Drains::Always } else { Drains::Never }
}

/// Lets the running thread, which stands before a call, wait for its commits if the call drains, or may drain and is
/// chosen to.
pub(crate) fn stands_before_call(runtime: &mut Runtime, call: Call, pending: Pending) -> Turn {
    let thread = runtime.running;
    let Some(buffers) = &runtime.buffers else { return Turn::Ours };
    let Some(steps) = &buffers.steps else { return Turn::Ours };
    if matches!(pending, Pending::Join(_)) {
        awaits_all(runtime);
        return Turn::Ours;
    }
    if !steps.has_stored(thread) {
        return Turn::Ours;
    }
    let is_granted = runtime.way == Way::Granted;
    let expected = match drains(runtime, call, pending) {
        Drains::Never => Expected::Nothing,
        Drains::Always => Expected::Drained,
        // One of the rounds of a loop without effect stands for the others.
        Drains::Perhaps if is_granted => Expected::ChosenDrained,
        Drains::Perhaps => match runtime.execution.choose_value(2) {
            Ok(0) => Expected::ChosenDrained,
            Ok(_) => Expected::ChosenUndrained,
            Err(_) => return diverges(runtime),
        },
    };
    if matches!(expected, Expected::Drained | Expected::ChosenDrained) {
        awaits_all(runtime);
    }
    if let Some(buffers) = &mut runtime.buffers {
        buffers.expect(thread, if is_granted { Expected::Nothing } else { expected });
    }
    Turn::Ours
}

/// Checks that an event of the running thread that is no access drains its buffer, or does not, as was expected; ends
/// the execution if not.
pub(crate) fn was_expected(runtime: &mut Runtime, drains: bool) -> Turn {
    let thread = runtime.running;
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    let Some(steps) = &buffers.steps else { return Turn::Ours };
    let has_stored = steps.has_stored(thread);
    let expected = std::mem::take(&mut buffers.expected[thread]);
    let is_fence = runtime.execution.history.steps().last().is_some_and(|step| step.kind == Kind::Fence);
    let fits = match expected {
        Expected::Nothing => !drains || !has_stored || is_fence,
        Expected::Drained => drains,
        Expected::ChosenDrained | Expected::ChosenUndrained => {
            if drains == (expected == Expected::ChosenDrained) {
                return Turn::Ours;
            }
            runtime.conclusion.is_none |= drains;
            runtime.conclusion.end = Some(End::Assumed);
            return Turn::Other(Switch::End);
        }
    };
    if fits {
        return Turn::Ours;
    }
    let what =
        "a call that drains a store buffer on another path than it most often takes, under --explorer dpor".to_owned();
    let place = Record::behind(runtime.recorder.trail.last_site()).place();
    runtime.conclusion.end = Some(End::Unsupported { what, place });
    Turn::Other(Switch::End)
}

/// Notes that the store which the running thread has just reported waits.
pub(crate) fn has_stored(runtime: &mut Runtime) -> Turn {
    let thread = runtime.running;
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    let Some(mut steps) = buffers.steps.take() else { return Turn::Ours };
    let is_release = buffers.waiting().entries(thread).last().is_some_and(|entry| entry.releases.is_some());
    let locations = if is_release { Vec::new() } else { runtime.locations.clone() };
    let stored = steps.stored(buffers.waiting(), thread, locations);
    buffers.steps = Some(steps);
    if stored.is_err() {
        let what = "so many stores without a barrier between them, under --explorer dpor with store buffers".to_owned();
        let place = Record::behind(runtime.recorder.trail.last_site()).place();
        runtime.conclusion.end = Some(End::Unsupported { what, place });
        return Turn::Other(Switch::End);
    }
    offer(runtime, thread);
    Turn::Ours
}

/// Tells the engine which of the thread's stores may commit next.
fn offer(runtime: &mut Runtime, thread: Thread) {
    let Some(buffers) = &mut runtime.buffers else { return };
    let Some(mut steps) = buffers.steps.take() else { return };
    let (now, before) = steps.offers(buffers.waiting(), thread);
    let state = &mut runtime.execution.state;
    before.iter().for_each(|committer| execution::commits::withdraw(state, committer));
    now.iter().for_each(|committer| execution::commits::offer(state, committer));
    if buffers.waiting().entries(thread).is_empty() {
        execution::commits::has_committed_all(state, thread);
    } else {
        execution::commits::stores_wait(state, thread);
    }
    buffers.steps = Some(steps);
}

/// Performs the commit of a committer, which has been chosen.
pub(crate) fn commits(runtime: &mut Runtime, committer: Thread) -> Turn {
    let event = runtime.execution.history.length();
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    let Some(mut steps) = buffers.steps.take() else { return Turn::Ours };
    let next = steps.next(buffers.waiting(), committer);
    let committed = next.map(|which| {
        let locations = steps.locations(which, buffers.waiting().entry(which));
        let after = steps.commit(buffers.waiting(), which, event);
        let (entry, before) = buffers.commit_alone(which);
        (which.thread, locations, after, entry, before)
    });
    buffers.steps = Some(steps);
    let Some((thread, locations, after, entry, before)) = committed else { return diverges(runtime) };
    for earlier in after {
        runtime.execution.notify(Notice::After { thread: committer, event: earlier });
    }
    let used = entry.range();
    let failure = if entry.ended || entry.releases.is_some() {
        None
    } else {
        commits::misused(runtime, thread, entry.event, &used)
    };
    if let Some(lock) = entry.releases {
        let unlocked = runtime.execution.operate(lock, |state, _| state.mutex().map(|mutex| mutex.unlock(thread)));
        debug_assert_eq!(unlocked, Some(Ok(())), "who releases a spin lock holds it until then");
        runtime.execution.at_hand.touches(lock);
    } else if locations.len() > 1 {
        events::tell_where(runtime, &locations);
    }
    let written = if entry.ended { &before } else { &entry.bytes };
    let detail = if entry.releases.is_some() {
        Detail { address: entry.address & !events::QUEUE, ..Detail::default() }
    } else {
        Detail::wide(entry.address, &before, written)
    };
    let site = runtime.recorder.trail.note(entry.event).map_or(std::ptr::null(), |note| note.site);
    let note = Note { site, operation: Operation::Commit };
    let values = if entry.releases.is_none() { values(&before, written) } else { Values::Unknown };
    let turn = report(runtime, committer, note, (entry.address, &locations), values, detail);
    if turn != Turn::Ours {
        return turn;
    }
    if let Some(failure) = failure {
        if runtime.settings.planned.is_some_and(|planned| runtime.execution.history.length() >= planned) {
            runtime.conclusion.end = Some(End::Failed(failure));
            return Turn::Other(Switch::End);
        }
        let extent = Extent::of(&runtime.execution);
        runtime.conclusion.failed.push((failure, extent));
    }
    offer(runtime, thread);
    waits(runtime, thread);
    commits::note_buffers(runtime);
    Turn::Ours
}

/// Returns the values before and after a commit of at most 8 bytes.
fn values(before: &[u8], after: &[u8]) -> Values {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    match before.len() {
        0..=8 => Values::Known { before: number(before), after: number(after), expected: None },
        _ => Values::Unknown,
    }
}

/// Adds a commit to the execution.
fn report(
    runtime: &mut Runtime,
    committer: Thread,
    note: Note,
    (address, locations): (usize, &[engine::event::Location]),
    values: Values,
    detail: Detail,
) -> Turn {
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(detail);
    }
    let (kind, site) = (Kind::Store, runtime.sites.site(note.site));
    let repeats = runtime.execution.history.repeats();
    let target = address as u32 & runtime.lasting_addresses;
    let performed = runtime.execution.performed(Step { thread: committer, site, kind, target }, locations, values);
    if !repeats {
        runtime.recorder.trail.event(note);
    } else if performed.is_err() {
        let turn = diverges(runtime);
        runtime.recorder.trail.event(note);
        return turn;
    }
    if runtime.recorder.trail.traces() {
        let Barriers { before, after, order, .. } = Barriers::NONE;
        let event = engine::event::Event { thread: committer, site, kind, before, after, order };
        runtime.recorder.trail.performed(event, locations.len(), &mut runtime.watch.monitors, note);
    }
    Turn::Ours
}
