//! Commits as steps of their own, where the explorer runs one execution of each class ([`engine::buffers::Steps`]): to
//! the explorer a store is nothing that others see, and its commit is an event of a committer, which is chosen as
//! threads are.
//!
//! An operation that drains a buffer waits, before its turn, for the commits of its thread. A call may drain on one
//! path and not on another, and which path it takes is known too late for that. So it is chosen beforehand whether it
//! waits, and an execution in which it takes another path does not count.

use std::ops::Range;

use engine::event::{Kind, Thread};
use engine::execution::{self, Pending};
use engine::explore::Notice;
use engine::mapping::calls::{DECIDED_BY_OTHERS, MUTEX_LOCK, MUTEX_UNLOCK, ONCE_RETURN, TABLE};

use crate::process::fiber::Switch;
use crate::process::sites::Record;
use crate::run::Runtime;
use crate::schedule::diverging::diverges;
use crate::state::buffers::Expected;
use crate::state::objects::{Call, Class};
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

/// Lets the running thread's next operation wait for the stores that have to commit before one to these bytes.
pub(crate) fn awaits_bytes(runtime: &mut Runtime, bytes: Range<usize>) {
    let thread = runtime.running;
    let Some((steps, waiting)) = runtime.buffers.as_mut().and_then(|buffers| buffers.steps_and_waiting()) else {
        return;
    };
    steps.await_for(waiting, thread, &bytes);
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
pub(crate) fn waits(runtime: &mut Runtime, thread: Thread) {
    let Some((steps, waiting)) = runtime.buffers.as_mut().and_then(|buffers| buffers.steps_and_waiting()) else {
        return;
    };
    let mut commits = Vec::new();
    if steps.is_held(thread) {
        execution::commits::hold(&mut runtime.execution.state, thread);
    } else {
        execution::commits::let_go(&mut runtime.execution.state, thread);
        commits = steps.awaited(waiting, thread);
    }
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
    let returns_from_once = ONCE_RETURN.is_of(call.name) && pending == Pending::Access;
    if call.name == "the end of the thread" || call.name == "futex" || returns_from_once {
        return Drains::Always;
    }
    let rows = || TABLE.iter().filter(|path| path.is_of(call.name));
    if rows().all(|path| path.effect.drains()) {
        return if rows().next().is_some() { Drains::Always } else { Drains::Never };
    }
    if !rows().any(|path| path.effect.drains()) {
        return Drains::Never;
    }
    if DECIDED_BY_OTHERS.iter().any(|path| path.is_of(call.name)) {
        return Drains::Perhaps;
    }
    let unlocks = MUTEX_UNLOCK.is_of(call.name);
    if !unlocks && !MUTEX_LOCK.is_of(call.name) {
        return Drains::Always;
    }
    // No other thread sees what a thread does to a mutex that it holds.
    let object = runtime.objects.number(Class::Mutex, call.address);
    let Some(mut mutex) = runtime.execution.state.objects.mutex(object).copied() else { return Drains::Always };
    let own = Some(runtime.running);
    let is_released = unlocks && mutex.unlock(runtime.running).is_ok() && mutex.owner() != own;
    let is_acquired = !unlocks && mutex.owner() != own;
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
    let Some((steps, waiting)) = runtime.buffers.as_mut().and_then(|buffers| buffers.steps_and_waiting()) else {
        return Turn::Ours;
    };
    let is_release = waiting.entries(thread).last().is_some_and(|entry| entry.releases.is_some());
    let locations = if is_release { Vec::new() } else { runtime.locations.clone() };
    let stored = steps.stored(waiting, thread, locations);
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
pub(crate) fn offer(runtime: &mut Runtime, thread: Thread) {
    let Some((steps, waiting)) = runtime.buffers.as_mut().and_then(|buffers| buffers.steps_and_waiting()) else {
        return;
    };
    let (now, before) = steps.offers(waiting, thread);
    let state = &mut runtime.execution.state;
    before.iter().for_each(|committer| execution::commits::withdraw(state, committer));
    now.iter().for_each(|committer| execution::commits::offer(state, committer));
    if waiting.entries(thread).is_empty() {
        execution::commits::has_committed_all(state, thread);
    } else {
        execution::commits::stores_wait(state, thread);
    }
}
