//! How an execution ends in which nobody can go on, and what the threads wait for that cannot.

use super::grant::{Grant, grants};
use super::state::{ProgramState, Ready};
use super::threads::{Pending, Status};
use crate::event::Thread;
use crate::progress::{Blocked, Waits};
use crate::sync::machine::{Until, Wish};

/// Why nobody can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All threads have ended, or the process has exited and the rest waits.
    Complete,
    /// Some threads wait for locks or joins that will not come, and none goes round in a loop.
    Deadlock,
    /// Some threads wait in a loop for a value that nobody will write.
    Livelock,
    /// The program did not do what it did before under the same decisions.
    Diverged,
    /// The strategy tried something that is not possible: it is no execution.
    Abandoned,
}

/// The threads that cannot go on where nobody can, by number.
#[must_use]
pub fn blocked(state: &ProgramState) -> Vec<Blocked> {
    state.threads.statuses().filter_map(|(thread, status)| blocked_at(state, thread, status)).collect()
}

/// Why nobody goes on, where nobody can.
pub(super) fn ending(state: &ProgramState) -> Ending {
    if state.threads.are_over() {
        Ending::Complete
    } else if state.threads.statuses().any(|(thread, status)| goes_round(state, thread, status)) {
        Ending::Livelock
    } else {
        Ending::Deadlock
    }
}

/// Whether the thread goes round in a wait loop, and does not just stand before a lock in it; or stands before a wait
/// that has run out, would run out again and again, and nothing would ever be different.
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
        // It goes round, but for a lock at the beginning.
        Status::Waiting(first) if state.ready(thread, first) == Ready::No => waits_at(state, thread, first),
        Status::Waiting(_) => (Waits::Change, Vec::new()),
        Status::Absent | Status::Running | Status::Ended => return None,
    };
    Some(Blocked { thread, waits, by })
}

/// What a thread that cannot go on from here waits for, and who could end that.
fn waits_at(state: &ProgramState, thread: Thread, pending: Pending) -> (Waits, Vec<Thread>) {
    let (wish, until) = match pending {
        Pending::Access => return (Waits::Change, Vec::new()),
        Pending::Lock(object) => (Wish::Lock(object), Until::Granted),
        Pending::Join(other) => (Wish::Join(other), Until::Granted),
        Pending::Wait(wish, until) => (wish, until),
    };
    match (wish, grants(&state.threads, &state.objects, thread, wish)) {
        (Wish::Wake { mutex: Some(mutex), .. }, Grant::Later) => (Waits::Release(mutex), state.objects.holders(mutex)),
        // Its loop goes round: this wait has run out, and would again.
        _ if until == Until::TimeOut => (Waits::Change, Vec::new()),
        (Wish::Join(other), _) => (Waits::End(other), vec![other]),
        (Wish::Lock(on) | Wish::Read(on) | Wish::Write(on) | Wish::Once(on), _) => {
            (Waits::Release(on), state.objects.holders(on))
        }
        (Wish::Cross(on), _) => (Waits::Arrival(on), Vec::new()),
        (Wish::Take(on) | Wish::Wake { sleepers: on, .. }, _) => (Waits::Wake(on), Vec::new()),
    }
}
