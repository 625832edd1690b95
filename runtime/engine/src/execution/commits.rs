//! Commits as steps: what waits in a store buffer is taken out of it by a thread of its own, a *committer*, which an
//! explorer of classes chooses as it does any other.
//!
//! Committers have the highest numbers ([`Thread::FIRST_COMMITTER`]), run no code, and neither begin nor end. Whoever owns
//! the buffers ([`crate::buffers::Steps`]) says which of them can go on, and which threads have to wait for commits.

use super::state::ProgramState;
use crate::event::Thread;

/// The committer can go on, until it is chosen.
pub const fn offer(state: &mut ProgramState, committer: Thread) {
    state.enabled.insert(committer);
}

/// The committer cannot go on.
pub const fn withdraw(state: &mut ProgramState, committer: Thread) {
    state.enabled.remove(committer);
}

/// The thread performs its next operation only once it is [let go](let_go).
pub fn hold(state: &mut ProgramState, thread: Thread) {
    if !state.held.contains(thread) {
        state.held.insert(thread);
        // Whoever chooses is to ask who may go on, as where threads wait in loops.
        state.waiting += 1;
        state.settle_again(thread);
    }
}

/// The thread can perform its next operation.
pub fn let_go(state: &mut ProgramState, thread: Thread) {
    if state.held.contains(thread) {
        state.held.remove(thread);
        state.waiting -= 1;
        state.settle_again(thread);
    }
}

/// Some stores of the thread wait: nobody can join it.
pub fn stores_wait(state: &mut ProgramState, thread: Thread) {
    state.storing.insert(thread);
}

/// No store of the thread waits any more.
pub fn has_committed_all(state: &mut ProgramState, thread: Thread) {
    if state.storing.contains(thread) {
        state.storing.remove(thread);
        state.settle_who_joins(thread);
    }
}
