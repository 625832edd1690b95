//! Waits with a limit. No clock runs: such a wait can run out whenever the thread could otherwise only wait, and the
//! time that the program gives is looked at only for being one.

use std::ffi::c_int;

use engine::event::Thread;
use engine::execution::Status;

use crate::runtime::{Runtime, with};
use crate::waits::Read;

/// A wait has run out: what the call returns. It has changed nothing, so the thread has had as many effects as before.
pub(crate) fn ran_out(effects: Option<u64>, time: *const libc::timespec) -> c_int {
    with(|runtime| runtime.has_waited_in_vain(effects));
    if is_time(time) { libc::ETIMEDOUT } else { libc::EINVAL }
}

/// Whether the program's memory holds a time.
pub(crate) fn is_time(time: *const libc::timespec) -> bool {
    // SAFETY: the program passes a time.
    let time = unsafe { time.read_unaligned() };
    (0..1_000_000_000).contains(&time.tv_nsec)
}

/// Whether a wait can go by this clock.
pub(crate) const fn is_clock(clock: libc::clockid_t) -> bool {
    matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC)
}

/// Why a thread's next limited wait does not run out: its last one did, and so would this one.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    /// What it has read since then are its reads from this one on.
    reads: usize,
    /// How many effects it had had.
    effects: u64,
}

impl Runtime {
    /// A call begins that may wait in vain: how many effects the running thread has had.
    pub(crate) fn effects(&mut self) -> u64 {
        let state = self.threads.at(self.running);
        state.patience = state.patience.filter(|patience| patience.effects == state.effects);
        state.effects
    }

    /// The running thread has waited and got nothing; before that it had had so many effects.
    pub(crate) fn has_waited_in_vain(&mut self, effects: Option<u64>) {
        self.has_done_nothing(effects);
        self.threads.at(self.running).waits_in_vain += 1;
    }

    /// What the running thread has done since it had had so many effects was without effect.
    pub(crate) fn has_done_nothing(&mut self, effects: Option<u64>) {
        let state = self.threads.at(self.running);
        state.effects = effects.unwrap_or(state.effects);
    }

    /// The running thread is about to wait, perhaps with a limit. If it is back where its last wait has run out, and
    /// all that it has read since is as it was, then the wait does not run out before some of that changes.
    pub(crate) fn before_a_wait(&mut self) {
        let thread = self.running;
        let state = self.threads.at(thread);
        let as_it_was =
            state.patience.is_some_and(|Patience { reads, .. }| state.reads[reads..].iter().all(Read::holds));
        if as_it_was {
            self.execution.wait_patiently(thread);
        } else {
            state.patience = None;
        }
    }

    /// The wait of the running thread is over.
    pub(crate) fn after_a_wait(&mut self) {
        self.threads.at(self.running).patience = None;
    }

    /// The running thread is at the header of a loop, in whose last iteration a wait ran out and nothing else
    /// happened; it had made so many reads before that.
    pub(crate) fn grows_patient(&mut self, reads: usize) {
        let state = self.threads.at(self.running);
        state.patience = Some(Patience { reads, effects: state.effects });
    }

    /// Lets a wait of this thread run out again, if what it has read has changed.
    pub(crate) fn check_patience(&mut self, thread: Thread) {
        let state = self.threads.at(thread);
        let Some(Patience { reads, .. }) = state.patience else { return };
        let waits = self.execution.is_patient(thread) && matches!(self.execution.status(thread), Status::Arrived(_));
        if waits && !state.reads[reads..].iter().all(Read::holds) {
            self.execution.lose_patience(thread);
        }
    }
}
