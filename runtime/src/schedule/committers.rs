//! What committers do when they are chosen, and what accesses wait for them: above [`crate::schedule::steps`], which knows
//! who may go on.

use engine::event::{Barrier, Event, Kind, Location, Thread};
use engine::explore::{Notice, Values};
use engine::mapping::Barriers;
use engine::step::Step;
use protocol::Operation;

use crate::process::fiber::Switch;
use crate::run::Runtime;
use crate::schedule::commits::{self, Approach};
use crate::schedule::diverging::diverges;
use crate::schedule::events;
use crate::schedule::steps::{awaits_bytes, offer, waits};
use crate::state::failure::Extent;
use crate::state::operation::{Detail, Note};
use crate::state::turn::{End, Turn};
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

/// Performs the commit of a committer, which has been chosen.
pub(crate) fn commits(runtime: &mut Runtime, committer: Thread) -> Turn {
    let event = runtime.execution.history.length();
    let Some(buffers) = &mut runtime.buffers else { return Turn::Ours };
    let Some((steps, waiting)) = buffers.steps_and_waiting() else { return Turn::Ours };
    let Some(which) = steps.next(waiting, committer) else { return diverges(runtime) };
    let locations = steps.locations(which, waiting.entry(which));
    let after = steps.commit(waiting, which, event);
    let (entry, before) = buffers.commit_alone(which);
    let thread = which.thread;
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
    (address, locations): (usize, &[Location]),
    values: Values,
    detail: Detail,
) -> Turn {
    if runtime.recorder.trail.traces() {
        runtime.recorder.trail.detail(detail);
    }
    let (kind, site) = (Kind::Store, runtime.sites.site(note.site));
    let target = address as u32 & runtime.lasting_addresses;
    let step = Step { thread: committer, site, kind, target };
    if let Some(turn) = events::take(runtime, step, locations, values, note) {
        return turn;
    }
    if runtime.recorder.trail.traces() {
        let Barriers { before, after, order, .. } = Barriers::NONE;
        let event = Event { thread: committer, site, kind, before, after, order };
        runtime.recorder.trail.performed(event, locations.len(), &mut runtime.watch.monitors, note);
    }
    Turn::Ours
}
