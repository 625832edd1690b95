//! The end of an execution in which no thread can go on, and what the threads wait for that cannot.

use super::grant::{Grant, grants};
use super::state::{ProgramState, Ready};
use super::threads::{Pending, Status};
use crate::event::Thread;
use crate::progress::{Blocked, Waits};
use crate::sync::machine::{Until, Wish};

/// The reason why no thread goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All threads have ended, or the process has exited and the remaining threads wait.
    Complete,
    /// Some threads wait for locks or joins that will not come, and none goes round in a loop.
    Deadlock,
    /// Some threads wait in a loop for a value that no thread will write.
    Livelock,
    /// The program did something else than before under the same decisions.
    Diverged,
    /// The strategy tried something that is not possible, so that this is no execution.
    Abandoned,
    /// Those who could go on stand behind iterations of wait loops that had no effect, which other executions leave out: it
    /// is the beginning of an execution.
    Blocked,
}

/// Returns the threads that cannot go on, by number, where none can.
#[must_use]
pub fn blocked(state: &ProgramState) -> Vec<Blocked> {
    state.threads.statuses().filter_map(|(thread, status)| blocked_at(state, thread, status)).collect()
}

/// Returns why no thread goes on, where none can.
pub(super) fn ending(state: &ProgramState) -> Ending {
    if state.threads.are_over() {
        Ending::Complete
    } else if state.threads.statuses().any(|(thread, status)| goes_round(state, thread, status)) {
        Ending::Livelock
    } else {
        Ending::Deadlock
    }
}

/// Whether the thread goes round in a wait loop, rather than stands before a lock in it, or stands before a wait that has run out
/// and would run out again and again without anything ever being different.
fn goes_round(state: &ProgramState, thread: Thread, status: Status) -> bool {
    match status {
        Status::Waiting(first) => state.ready(thread, first) == Ready::Yes,
        Status::Arrived(Pending::Wait(_, Until::TimeOut)) => state.is_patient(thread),
        _ => false,
    }
}

fn blocked_at(state: &ProgramState, thread: Thread, status: Status) -> Option<Blocked> {
    let (waits, by) = match status {
        Status::Arrived(pending) => waits_at(state, thread, pending),
        // The thread goes round, unless there is a lock at the beginning of the loop.
        Status::Waiting(first) if state.ready(thread, first) == Ready::No => waits_at(state, thread, first),
        Status::Waiting(_) => (Waits::Change, Vec::new()),
        Status::Absent | Status::Running | Status::Ended => return None,
    };
    Some(Blocked { thread, waits, by })
}

/// Returns what a thread that cannot go on from here waits for, and which threads could end that.
fn waits_at(state: &ProgramState, thread: Thread, pending: Pending) -> (Waits, Vec<Thread>) {
    let (wish, until) = match pending {
        Pending::Access => return (Waits::Change, Vec::new()),
        Pending::Lock(object) => (Wish::Lock(object), Until::Granted),
        Pending::Join(other) => (Wish::Join(other), Until::Granted),
        Pending::Wait(wish, until) => (wish, until),
    };
    match (wish, grants(&state.threads, &state.objects, thread, wish)) {
        (Wish::Wake { mutex: Some(mutex), .. }, Grant::Later) => (Waits::Release(mutex), state.objects.holders(mutex)),
        // The thread's loop goes round: this wait has run out, and would do so again.
        _ if until == Until::TimeOut => (Waits::Change, Vec::new()),
        (Wish::Join(other), _) => (Waits::End(other), vec![other]),
        (Wish::Lock(on) | Wish::Read(on) | Wish::Write(on) | Wish::Once(on), _) => {
            (Waits::Release(on), state.objects.holders(on))
        }
        (Wish::Cross(on), _) => (Waits::Arrival(on), Vec::new()),
        (Wish::Take(on) | Wish::Wake { sleepers: on, .. }, _) => (Waits::Wake(on), Vec::new()),
    }
}
