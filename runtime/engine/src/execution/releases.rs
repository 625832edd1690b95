//! Locks whose release waits in a store buffer: their states do not let anybody go on yet, but who stands before one can go on
//! behind a commit.

use super::state::ProgramState;
use crate::event::Thread;

/// A release waits: whoever chooses is to ask each time who may go on, as where threads wait in loops.
pub const fn waits(state: &mut ProgramState) {
    state.waiting += 1;
}

/// A release that waited has committed.
pub const fn has_committed(state: &mut ProgramState) {
    state.waiting -= 1;
}

/// The thread, which stands before such a lock, can be chosen: the commit comes before it goes on.
pub const fn offer(state: &mut ProgramState, thread: Thread) {
    state.enabled.insert(thread);
}
