//! `pthread_cancel`: deferred cancellation. Whether a thread is cancelled is looked at in an event of its own at each
//! cancellation point, if the program calls `pthread_cancel` at all, and a wait that is a cancellation point ends when
//! the thread is cancelled. Output and files are no cancellation points here.
//!
//! To the explorer dpor the request and the looks are operations on an object. That such a wait ends is no conflict that
//! it knows: a thread that waits there and is cancelled, in whatever order, is refused.

use std::ffi::c_int;

use engine::event::{Kind, Thread};
use engine::execution::{Heeds, Pending, Status};
use engine::mapping::calls;
use protocol::Operation;

use crate::hooks::process::program;
use crate::hooks::pthread::ends;
use crate::hooks::pthread::threads::{call_site, thread_of};
use crate::run::{Runtime, with};
use crate::schedule::objects::{Call, Class, Done, unnamed};
use crate::state::globals;

const ENABLE: c_int = 0;
const DISABLE: c_int = 1;
const DEFERRED: c_int = 0;
const ASYNCHRONOUS: c_int = 1;
/// `PTHREAD_CANCELED`.
const CANCELED: usize = usize::MAX;

/// Whether a thread heeds cancellation.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Enabled {
    #[default]
    Yes,
    No,
}

/// What a thread has to do with cancellation.
#[derive(Clone, Copy, Default)]
pub(crate) struct State {
    requested: bool,
    enabled: Enabled,
    ending: bool,
    /// It has come to a wait that is a cancellation point.
    waits: bool,
}

impl State {
    fn is_due(self) -> bool {
        self.requested && self.enabled == Enabled::Yes && !self.ending
    }
}

impl Runtime {
    /// The running thread has come to a wait that is a cancellation point. Whether that can be explored.
    pub(crate) fn waits_at_point(&mut self) -> bool {
        let state = &mut self.threads.at(self.running).ends.cancellation;
        state.waits = true;
        !(state.requested && self.steps_aside())
    }

    /// Changes the state of a thread, and says so to the engine.
    fn change_cancellation(&mut self, thread: Thread, change: impl FnOnce(&mut State)) {
        let state = &mut self.threads.at(thread).ends.cancellation;
        change(state);
        let heeds = if state.is_due() { Heeds::Cancellation } else { Heeds::Nothing };
        self.execution.state.interrupt(thread, heeds);
    }
}

/// Whether the running thread is cancelled and heeds it.
pub(crate) fn is_due() -> bool {
    with(|runtime| {
        let thread = runtime.running;
        runtime.threads.at(thread).ends.cancellation.is_due()
    }) == Some(true)
}

/// The running thread ends, and is not cancelled any more.
pub(crate) fn ignore() {
    if globals::calls_cancel() {
        with(|runtime| runtime.change_cancellation(runtime.running, |state| state.ending = true));
    }
}

/// The running thread is at a cancellation point.
pub(crate) fn point(call: Call) {
    if !globals::calls_cancel() {
        return;
    }
    let Some(object) = with(|runtime| runtime.running).and_then(|thread| unnamed(Class::Cancellation, thread.index()))
    else {
        return;
    };
    call.event(Pending::Access, |_| (Done::by(calls::TEST_CANCEL, Kind::Share(object), Operation::TestCancel), ()));
    if is_due() {
        act(call);
    }
}

/// The running thread, which is cancelled, ends.
pub(crate) fn act(call: Call) -> ! {
    ends::end_thread(call, CANCELED)
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_cancel(handle: usize) -> c_int {
    let call = Call::on("pthread_cancel", std::ptr::null::<u8>());
    let Some(Some(thread)) = with(|runtime| thread_of(runtime, handle)) else { return libc::ESRCH };
    let Some(object) = unnamed(Class::Cancellation, thread.index()) else { return 0 };
    let refused = call.event(Pending::Access, |runtime| {
        let before = runtime.threads.of(thread).ends.cancellation.requested;
        let again = before || runtime.execution.state.threads.status(thread) == Status::Ended;
        let path = if again { calls::CANCEL_AGAIN } else { calls::CANCEL };
        runtime.change_cancellation(thread, |state| state.requested = true);
        let waits = runtime.threads.of(thread).ends.cancellation.waits;
        let done = Done::by(path, Kind::Lock(object), Operation::Cancel(thread));
        (done, waits && runtime.steps_aside())
    });
    if refused == Some(true) {
        program::unsupported(
            "pthread_cancel of a thread that waits at a cancellation point, under --explorer dpor",
            call.site,
        );
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_testcancel() {
    point(Call::on("pthread_testcancel", std::ptr::null::<u8>()));
}

fn store(into: *mut c_int, value: c_int) {
    if !into.is_null() {
        crate::hooks::library::results::store(into, value.cast_unsigned(), call_site());
    }
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int {
    let enabled = match state {
        ENABLE => Enabled::Yes,
        DISABLE => Enabled::No,
        _ => return libc::EINVAL,
    };
    let before = with(|runtime| {
        runtime.has_effect();
        let thread = runtime.running;
        let before = runtime.threads.at(thread).ends.cancellation.enabled;
        runtime.change_cancellation(thread, |state| state.enabled = enabled);
        before
    });
    store(old, if before == Some(Enabled::No) { DISABLE } else { ENABLE });
    0
}

#[unsafe(no_mangle)]
extern "C" fn __fh_pthread_setcanceltype(kind: c_int, old: *mut c_int) -> c_int {
    match kind {
        DEFERRED => {}
        ASYNCHRONOUS => program::unsupported("pthread_setcanceltype (asynchronous cancellation)", call_site()),
        _ => return libc::EINVAL,
    }
    store(old, DEFERRED);
    0
}
