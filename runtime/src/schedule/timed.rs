//! Waits with a limit. No clock runs: such a wait can run out whenever the thread could otherwise only wait, and the
//! time that the program passes is only checked for being one.

use std::ffi::c_int;

use engine::event::Thread;
use engine::execution::Status;

use crate::run::{Runtime, with};
use crate::schedule::{commits, waits};
use crate::state::waits::{Mark, Patience};

/// Ends a wait that has run out, and returns the result of the call. It has changed nothing, so the thread has done no
/// more than before.
pub(crate) fn ran_out(before: Option<Mark>, time: *const libc::timespec) -> c_int {
    with(|runtime| has_waited_in_vain(runtime, before));
    if is_time(time) { libc::ETIMEDOUT } else { libc::EINVAL }
}

/// Whether the program's memory holds a time.
pub(crate) fn is_time(time: *const libc::timespec) -> bool {
    // SAFETY: the program passes a time.
    let time = unsafe { time.read_unaligned() };
    (0..1_000_000_000).contains(&time.tv_nsec)
}

/// Whether a wait can have its limit by this clock.
pub(crate) const fn is_clock(clock: libc::clockid_t) -> bool {
    matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC)
}

/// Begins a call that may wait in vain, and returns what the running thread has done by now.
pub(crate) fn before_a_call(runtime: &mut Runtime) -> Mark {
    let now = waits::mark(runtime);
    let state = runtime.threads.at(runtime.running);
    state.patience = state.patience.filter(|patience| patience.back.has_effected_as_much_as(&now));
    now
}

/// Notes that the running thread has waited and got nothing; `before` is what it had done before.
pub(crate) fn has_waited_in_vain(runtime: &mut Runtime, before: Option<Mark>) {
    waits::has_done_nothing(runtime, before);
    runtime.threads.at(runtime.running).waits_in_vain += 1;
}

/// Prepares a wait of the running thread, perhaps with a limit. If the thread is back where its last wait has run out,
/// and all that it has read since is as it was, then the wait does not run out before some of that changes.
pub(crate) fn before_a_wait(runtime: &mut Runtime) {
    let thread = runtime.running;
    let patience = runtime.threads.of(thread).patience;
    let waits = |patience: &Patience| {
        waits::has_only_passed_mutexes(runtime, &patience.back)
            && waits::reads_the_same(runtime, thread, patience.reads)
    };
    if let Some(patience) = patience.filter(waits) {
        let since = waits::last_events(runtime, thread, runtime.threads.of(thread).events - patience.events);
        runtime.execution.wait_patiently(thread, since);
    } else {
        runtime.threads.at(thread).patience = None;
    }
}

/// Notes that the wait of the running thread is over.
pub(crate) fn after_a_wait(runtime: &mut Runtime) {
    runtime.threads.at(runtime.running).patience = None;
}

/// Makes the running thread patient. It is at the header of a loop, in whose last iteration a wait ran out and nothing
/// else was changed but mutexes, which were changed back; before that iteration it had made `reads` reads and performed
/// `events` events.
pub(crate) fn grows_patient(runtime: &mut Runtime, reads: usize, events: u64) {
    let back = waits::mark(runtime);
    runtime.threads.at(runtime.running).patience = Some(Patience { reads, events, back });
}

/// Returns the index of the thread's first read since its wait ran out, if it waits patiently.
pub(crate) fn patient_since(runtime: &Runtime, thread: Thread) -> Option<usize> {
    let waits = runtime.execution.state.is_patient(thread)
        && matches!(runtime.execution.state.threads.status(thread), Status::Arrived(_));
    runtime.threads.of(thread).patience.filter(|_| waits).map(|patience| patience.reads)
}

/// Lets a wait of this thread run out again, if what it has read has changed.
pub(crate) fn check_patience(runtime: &mut Runtime, thread: Thread) {
    let Some(reads) = patient_since(runtime, thread) else { return };
    if !commits::reads_the_same(runtime, thread, reads) || commits::may_read_otherwise(runtime, thread, reads) {
        runtime.execution.state.lose_patience(thread);
    }
}
