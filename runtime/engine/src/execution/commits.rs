//! Commits as steps: what waits in a store buffer is taken out of it by a thread of its own, a *committer*, which an
//! explorer of classes chooses as it does any other.
//!
//! Committers have the highest numbers ([`Thread::FIRST_COMMITTER`]), run no code, and neither begin nor end. The owner of the
//! buffers ([`crate::buffers::Steps`]) says which of them can go on, and which threads have to wait for commits.

use super::state::{ProgramState, joins};
use super::threads::Status;
use crate::event::Thread;

/// Lets the committer go on, until it is chosen.
pub const fn offer(state: &mut ProgramState, committer: Thread) {
    state.enabled.insert(committer);
}

/// Keeps the committer from going on.
pub const fn withdraw(state: &mut ProgramState, committer: Thread) {
    state.enabled.remove(committer);
}

/// Keeps the thread from performing its next operation until it is [let go](let_go).
pub fn hold(state: &mut ProgramState, thread: Thread) {
    if !state.held.contains(thread) {
        state.held.insert(thread);
        // Whoever chooses must ask each time which threads may go on, as where threads wait in loops.
        state.waiting += 1;
        state.settle_arrived(|other, _| other == thread);
    }
}

/// Lets the thread perform its next operation.
pub fn let_go(state: &mut ProgramState, thread: Thread) {
    if state.held.contains(thread) {
        state.held.remove(thread);
        state.waiting -= 1;
        state.settle_arrived(|other, _| other == thread);
    }
}

/// Lets the committer, which was chosen, go on. Returns false if commits are no steps, and it is a thread like others.
pub(super) fn goes_on(state: &mut ProgramState, committer: Thread) -> bool {
    let is_thread = state.threads.status(committer) != Status::Absent;
    if !is_thread {
        state.enabled.remove(committer);
    }
    !is_thread
}

/// Notes that stores of the thread wait, so that no thread can join it.
pub fn stores_wait(state: &mut ProgramState, thread: Thread) {
    state.storing.insert(thread);
}

/// Notes that no store of the thread waits any more.
pub fn has_committed_all(state: &mut ProgramState, thread: Thread) {
    if state.storing.contains(thread) {
        state.storing.remove(thread);
        state.settle_arrived(|_, pending| joins(pending, thread));
    }
}
