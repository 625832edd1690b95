//! Locks whose release waits in a store buffer: their states do not let any thread go on yet, but a thread that stands before one
//! can go on behind a commit.

use super::state::ProgramState;
use crate::event::Thread;

/// Notes that a release waits: whoever chooses must ask each time which threads may go on, as where threads wait in loops.
pub const fn waits(state: &mut ProgramState) {
    state.waiting += 1;
}

/// Notes that a release that waited has committed.
pub const fn has_committed(state: &mut ProgramState) {
    state.waiting -= 1;
}

/// Makes the thread, which stands before such a lock, one that can be chosen: the commit comes before it goes on.
pub const fn offer(state: &mut ProgramState, thread: Thread) {
    state.enabled.insert(thread);
}
